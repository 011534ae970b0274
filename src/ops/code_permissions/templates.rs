//! The RBAC rules in the templates of a Helm chart, found by text search, so that the values of the
//! chart do not matter.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use k8s_openapi::api::rbac::v1::PolicyRule;
use serde_json::Value;
use walkdir::WalkDir;

use crate::adopted::deploy::Rendered;
use crate::adopted::documents;
use crate::disk::regular;

/// Returns the RBAC rules in the templates of the chart in the directory `chart`, including those
/// that conditions leave out. Skips files and rules that cannot be read.
pub fn rules(chart: &Path) -> Vec<PolicyRule> {
    let texts = texts(chart).into_iter();
    texts.flat_map(|(_, text)| of_text(&text)).collect()
}

/// Returns the rendered roles that no rendered binding names, but one in the templates does.
/// `chart` is relative to `dir`.
pub fn unbound<'a>(dir: &Path, chart: &str, objects: &'a [Rendered]) -> Vec<&'a Rendered> {
    let bound: HashSet<_> = objects
        .iter()
        .filter_map(|it| referenced(&it.object))
        .collect();
    let is_unbound = |it: &&Rendered| {
        it.is_role() && !bound.contains(&(it.kind().to_owned(), it.name().to_owned()))
    };
    let mut unbound: Vec<_> = objects.iter().filter(is_unbound).collect();
    if unbound.is_empty() {
        return unbound;
    }
    let templates: Vec<(PathBuf, Vec<Value>)> = texts(&dir.join(chart))
        .into_iter()
        .map(|(path, text)| {
            let objects = documents::objects(&text).into_iter();
            let path = path.strip_prefix(dir).unwrap_or(&path).to_owned();
            (path, objects.map(|(_, object)| object).collect())
        })
        .collect();
    let references: HashSet<_> = templates
        .iter()
        .flat_map(|(_, objects)| objects)
        .filter_map(referenced)
        .collect();
    unbound.retain(|role| {
        let own = templates.iter().filter(|(path, _)| *path == role.file);
        let names = own.flat_map(|(_, objects)| objects).filter_map(|object| {
            let name = object["metadata"]["name"].as_str()?;
            (object["kind"] == role.kind()).then_some(name)
        });
        // The role was rendered from the template that has the most text in common with it.
        let name = names
            .filter(|name| documents::renders(name, role.name()))
            .max_by_key(|name| name.replace(documents::PLACEHOLDER, "").len());
        name.is_some_and(|name| references.contains(&(role.kind().to_owned(), name.to_owned())))
    });
    unbound
}

/// Returns the kind and the name of the role that a binding names.
fn referenced(object: &Value) -> Option<(String, String)> {
    let is_binding = object["kind"] == "ClusterRoleBinding" || object["kind"] == "RoleBinding";
    let text = |key: &str| object["roleRef"][key].as_str().map(str::to_owned);
    is_binding.then(|| Some((text("kind")?, text("name")?)))?
}

/// Returns the templates of a chart, each with its path.
fn texts(chart: &Path) -> Vec<(PathBuf, String)> {
    let entries = WalkDir::new(chart)
        .sort_by_file_name()
        .into_iter()
        .flatten();
    let is_template = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let is_yaml = matches!(extension, Some("yaml" | "yml" | "tpl"));
        is_yaml
            && path
                .components()
                .any(|part| part.as_os_str() == "templates")
    };
    entries
        .filter(|entry| entry.file_type().is_file() && is_template(entry.path()))
        .filter_map(|entry| {
            let text = regular::text(entry.path()).ok()?;
            Some((entry.into_path(), text))
        })
        .collect()
}

/// Returns the rules in a text. Each item of a list that has verbs is parsed on its own, without
/// the template's actions.
fn of_text(text: &str) -> Vec<PolicyRule> {
    let lines: Vec<String> = without_actions(text).lines().map(str::to_owned).collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut rules = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(first) = line.trim_start().strip_prefix('-') else {
            continue;
        };
        if !first.contains(':') {
            continue;
        }
        let depth = indent(line);
        let rest = lines[at + 1..].iter();
        let rest = rest.take_while(|line| line.trim().is_empty() || indent(line) > depth);
        let mut item = line[depth..].replacen('-', " ", 1);
        for line in rest {
            item.push('\n');
            item.push_str(line.get(depth..).unwrap_or_default());
        }
        if item.contains("verbs")
            && let Ok(rule) = serde_yaml::from_str::<PolicyRule>(&item)
        {
            rules.push(rule);
        }
    }
    rules
}

/// Removes lines that consist of actions, and replaces other actions with a word.
fn without_actions(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        plain.push_str(&rest[..start]);
        let action = &rest[start..];
        let Some(end) = action.find("}}") else {
            rest = "";
            break;
        };
        // A character that templates do not contain marks the place of an action.
        plain.push('\u{1}');
        rest = &action[end + 2..];
    }
    plain.push_str(rest);
    let lines = plain.lines().filter(|line| {
        let line = line.trim();
        !(line.contains('\u{1}') && line.chars().all(|c| c == '\u{1}' || c == ' '))
    });
    let lines: Vec<_> = lines.map(|line| line.replace('\u{1}', "helm")).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_behind_conditions_are_found() {
        let text = "rules:\n  {{- if .Values.jobs }}\n  - apiGroups: [batch]\n    resources:\n      - jobs\n    verbs: [get]\n  \
                    {{- else }}\n  - verbs: [list]\n    apiGroups: [\"\"]\n    resources: [pods, '{{ .x }}']\n  {{- end }}\n\
                    subjects:\n  - kind: ServiceAccount\n    name: {{ .name }}\n";
        let rules = of_text(text);
        let verbs: Vec<_> = rules.iter().map(|rule| rule.verbs.join(",")).collect();
        assert_eq!(verbs, ["get", "list"]);
        assert_eq!(rules[1].resources.as_deref().unwrap(), ["pods", "helm"]);
    }
}
