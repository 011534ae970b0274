//! The RBAC rules in the templates of a Helm chart, found by text search, so that the values of the chart do not
//! matter.

use std::path::Path;

use k8s_openapi::api::rbac::v1::PolicyRule;
use walkdir::WalkDir;

use crate::disk::regular;

/// Returns the RBAC rules in the templates of the chart in the directory `chart`, including those that conditions leave
/// out. Skips files and rules that cannot be read.
pub fn rules(chart: &Path) -> Vec<PolicyRule> {
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
        .filter_map(|entry| regular::text(entry.path()).ok())
        .flat_map(|text| of_text(&text))
        .collect()
}

/// Returns the rules in a text. Each item of a list that has verbs is parsed on its own, without the template's actions.
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
