//! Documents of YAML and JSON, also in templates of Helm charts: there, actions are blanked and the
//! rest is read.

use std::borrow::Cow;
use std::path::Path;

use serde_json::Value;

use super::paths;
use crate::yaml::{self, Problem};

/// The text that stands for an action within a line of a template.
pub const PLACEHOLDER: &str = "placeholder";

/// The kind of CRDs.
const CRD: &str = "CustomResourceDefinition";

/// Reports whether a text with placeholders may be rendered as `text`.
pub fn renders(template: &str, text: &str) -> bool {
    let pattern = template.replace(PLACEHOLDER, "*");
    paths::fits(&pattern, text)
}

/// Splits a text into its YAML documents, each with the line, counted from 1, at which it begins.
/// Documents without text are left out.
pub fn split(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let (mut start, mut line, mut at) = (0, 1, 0);
    for (number, row) in (1..).zip(text.split_inclusive('\n')) {
        let is_end = row
            .strip_prefix("---")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']));
        if is_end {
            found.push((line, &text[start..at]));
            // A document may begin behind the marker; that is rare enough to keep the marker's line
            // for its line.
            start = at + row.len().min(3 + usize::from(row.len() > 3));
            line = number + usize::from(row.trim_end() == "---");
            if row.trim_end() == "---" {
                start = at + row.len();
            }
        }
        at += row.len();
    }
    found.push((line, &text[start..]));
    found.retain(|(_, document)| !document.trim().is_empty());
    found
}

/// Returns true if a text contains actions of a template.
pub fn is_templated(text: &str) -> bool {
    text.contains("{{")
}

/// The objects in a text.
#[derive(Debug, Default)]
pub struct Parsed {
    /// The objects, each with the line at which it begins. Items of lists are included.
    pub objects: Vec<(usize, Value)>,
    /// The line of the first document that is not valid YAML, and why.
    pub problem: Option<(usize, String)>,
}

/// Parses the documents of a file. Also returns true if it is a template, whose actions are
/// ignored. A text with two braces is not always one: a rule in CEL can have a map in a map. `path`
/// is not read; a file below `templates` with two braces is always a template.
pub fn of_file(path: &Path, text: &str) -> (Parsed, bool) {
    if !is_templated(text) {
        return (plain(text), false);
    }
    let is_rendered = path.components().any(|it| it.as_os_str() == "templates");
    let parsed = Some(plain(text)).filter(|it| !is_rendered && it.problem.is_none());
    match parsed {
        Some(parsed) => (parsed, false),
        None => (self::parsed(text), true),
    }
}

/// Parses the documents of a template. Its actions are ignored.
pub fn parsed(text: &str) -> Parsed {
    plain(&blanked(text))
}

/// Parses the documents of a text that is not a template. The last of several equal keys wins, as
/// for kubectl and helm.
pub fn plain(text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    for (line, document) in split(text) {
        match value(document, line) {
            Ok(value) => {
                let skipped = document
                    .lines()
                    .take_while(|row| row.trim().is_empty() || row.trim_start().starts_with('#'))
                    .count();
                flatten(value, line + skipped, &mut parsed.objects);
            }
            Err(problem) => {
                parsed.problem.get_or_insert(problem);
            }
        }
    }
    parsed
        .objects
        .retain(|(_, object)| object["kind"].is_string());
    parsed
}

/// Parses one document, which begins at `line` of its file. The line of an error is that in the
/// file.
pub fn value(document: &str, line: usize) -> Result<Value, (usize, String)> {
    yaml::with_last_keys::<Option<Value>>(document)
        .map(Option::unwrap_or_default)
        .map_err(|error| {
            let Problem { line: at, reason } = Problem::from(&error);
            (line + at.unwrap_or(1) - 1, reason)
        })
}

/// Returns the objects in a text, each with the line at which it begins. Skips documents that
/// cannot be parsed.
pub fn objects(text: &str) -> Vec<(usize, Value)> {
    parsed(text).objects
}

/// Returns the documents of a text, also those without a kind. Skips documents that cannot be
/// parsed.
pub fn objects_of_any_kind(text: &str) -> Vec<Value> {
    let text = blanked(text);
    let parsed = |(_, document)| serde_yaml::from_str::<Option<Value>>(document).ok()?;
    split(&text).into_iter().filter_map(parsed).collect()
}

/// Returns the CRDs in a text that is not a template.
pub fn crds(text: &str) -> Vec<Value> {
    if !may_have_crds(text) {
        return Vec::new();
    }
    let objects = plain(text).objects.into_iter().map(|(_, object)| object);
    objects.filter(is_crd).collect()
}

/// Returns false if a text certainly contains no CRD.
pub fn may_have_crds(text: &str) -> bool {
    text.contains(CRD)
}

/// Reports whether an object is a CRD.
pub fn is_crd(object: &Value) -> bool {
    object["kind"] == CRD
}

fn flatten(value: Value, line: usize, found: &mut Vec<(usize, Value)>) {
    match value {
        Value::Array(items) => items
            .into_iter()
            .for_each(|item| flatten(item, line, found)),
        Value::Object(mut object) => {
            let is_list = object
                .get("kind")
                .and_then(Value::as_str)
                .is_some_and(|kind| kind.ends_with("List"));
            match object.get_mut("items").filter(|_| is_list) {
                Some(items) => flatten(items.take(), line, found),
                None => found.push((line, Value::Object(object))),
            }
        }
        _ => {}
    }
}

/// Removes the actions of a template, but keeps the number of lines. A line that begins with an
/// action is blanked, as are the lines of `else` branches. An action within a line becomes a
/// placeholder.
pub fn blanked(text: &str) -> Cow<'_, str> {
    if !is_templated(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    // For each open block, true if its `else` branch has begun.
    let mut blocks: Vec<bool> = Vec::new();
    let mut is_open = false;
    for row in text.lines() {
        let begins = row.trim_start().starts_with("{{");
        let is_action = is_open || begins;
        for action in row.split("{{").skip(1) {
            follow(action, &mut blocks);
        }
        // An action may continue on the following lines.
        is_open = match (row.rfind("{{"), row.rfind("}}")) {
            (Some(start), Some(end)) => start > end,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => is_open,
        };
        if !is_action && !blocks.contains(&true) {
            out.push_str(&inline(row));
        }
        out.push('\n');
    }
    Cow::Owned(out)
}

/// Updates the open blocks with an action.
fn follow(action: &str, blocks: &mut Vec<bool>) {
    let word = action
        .trim_start_matches('-')
        .split_whitespace()
        .next()
        .unwrap_or_default();
    match word.trim_end_matches(['-', '}']) {
        "if" | "with" | "range" | "define" | "block" => blocks.push(false),
        "else" => {
            if let Some(last) = blocks.last_mut() {
                *last = true;
            }
        }
        "end" => drop(blocks.pop()),
        _ => {}
    }
}

/// Replaces the actions within a line by a placeholder. A literal such as `{{ "{{" }}` becomes its
/// text.
fn inline(row: &str) -> String {
    let mut out = String::new();
    let mut rest = row;
    while let Some((before, action)) = rest.split_once("{{") {
        out.push_str(before);
        let (action, after) = literal(action).unwrap_or_else(|| {
            let end = action.find("}}").map_or(action.len(), |end| end + 2);
            (PLACEHOLDER, &action[end..])
        });
        out.push_str(action);
        rest = after;
    }
    out + rest
}

/// Returns the text of a literal action and the rest of the line behind it.
fn literal(action: &str) -> Option<(&str, &str)> {
    let text = action.trim_start().trim_start_matches("- ");
    let quote = text.chars().next().filter(|c| "\"`".contains(*c))?;
    let (text, after) = text[1..].split_once(quote)?;
    let after = after
        .trim_start()
        .trim_start_matches('-')
        .strip_prefix("}}")?;
    Some((text, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_actions_of_a_template_are_blanked() {
        let text = r#"{{- if .Values.crds }}
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    {{- with .Values.crds.annotations }}
    {{- toYaml . | nindent 4 }}
    {{- else }}
    other: 1
    {{- end }}
    {{- include "barn.x" (dict
      "a" .Values.a
    ) }}
  name: cows.farm.x
spec:
  description: writes `{{ "{{" }} x {{ "}}" }}`
  group: {{ .Values.group }}
{{- end }}
---
kind: Other
"#;
        let (found, is_template) = of_file(Path::new("templates/crd.yaml"), text);
        assert!(is_template);
        let (line, crd) = &found.objects[0];
        assert_eq!((*line, is_crd(crd)), (2, true));
        assert_eq!(crd["metadata"]["name"], "cows.farm.x");
        assert_eq!(crd["spec"]["description"], "writes `{{ x }}`");
        assert_eq!(crd["spec"]["group"], "placeholder");
    }

    #[test]
    fn braces_in_a_rule_are_no_action() {
        let text =
            "kind: CustomResourceDefinition\nrule: \"1 in {{'a':'b'}: 1}\"\nafter: {{}: 1}\n";
        let rule = |path: &str, text: &str| {
            let (found, is_template) = of_file(Path::new(path), text);
            (found.objects[0].1["rule"].clone(), is_template)
        };
        let valid = text.split_once("after").unwrap().0;
        assert_eq!(
            rule("crds/crd.yaml", valid),
            ("1 in {{'a':'b'}: 1}".into(), false)
        );
        assert!(of_file(Path::new("templates/crd.yaml"), valid).1);
        // A mapping as a key is not YAML for Kubernetes.
        assert!(of_file(Path::new("crds/crd.yaml"), text).1);
        assert_eq!(crds(valid).len(), 1);
    }

    #[test]
    fn items_of_lists_and_json_are_objects() {
        let kinds = |text: &str| -> Vec<String> {
            objects(text)
                .iter()
                .map(|(_, it)| it["kind"].as_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!(
            kinds("[{\"kind\": \"A\"}, {\"kind\": \"BList\", \"items\": [{\"kind\": \"B\"}]}]"),
            ["A", "B"]
        );
        assert_eq!(kinds("kind: A\n---\nnot: [\n---\nkind: C\n"), ["A", "C"]);
    }
}
