//! Checks of `x-kubernetes-validations`, except for the expressions, which [`super::super::cel`]
//! checks.

use serde_json::Value;

use crate::crd::finding::CrdProblem;
use crate::crd::keywords::{VALIDATIONS, one_line};
use crate::crd::node::{Node, Object};

const REASONS: [&str; 4] = [
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
];

/// Reports everything wrong with the rules of a schema, except for their expressions.
pub fn check(node: &Node, found: &mut Vec<CrdProblem>) {
    let rules = node.schema.get(VALIDATIONS).and_then(Value::as_array);
    for rule in rules.into_iter().flatten().filter_map(Value::as_object) {
        let text = |key: &str| rule.get(key).and_then(Value::as_str).unwrap_or_default();
        let breaks = |text: &str| text.trim().contains(['\n', '\r']);
        let blank = |key: &str| !text(key).is_empty() && text(key).trim().is_empty();
        let expression = text("rule");
        let mut say = |message: String| found.push(CrdProblem::at(node, message));
        if expression.trim().is_empty() {
            say("a validation has no rule".to_owned());
        } else if breaks(expression) && text("message").trim().is_empty() {
            say(format!(
                "the rule `{}` has several lines and therefore needs a message",
                one_line(expression)
            ));
        }
        for key in ["message", "messageExpression", "fieldPath"] {
            if blank(key) {
                say(format!(
                    "the {key} of the rule `{}` is blank",
                    one_line(expression)
                ));
            }
        }
        for key in ["message", "fieldPath"] {
            if breaks(text(key)) {
                say(format!(
                    "the {key} of the rule `{}` has several lines",
                    one_line(expression)
                ));
            }
        }
        let reason = text("reason");
        let has_reason = rule.get("reason").is_some_and(Value::is_string);
        if has_reason && !REASONS.contains(&reason) {
            say(format!(
                "unknown reason `{reason}`: write one of {}",
                REASONS.join(", ")
            ));
        }
        let path = text("fieldPath");
        if !path.trim().is_empty() && !breaks(path) && lead(node.schema, path, true).is_none() {
            say(format!(
                "the fieldPath `{path}` does not refer to a field; it must start with a dot and is relative to this field"
            ));
        }
    }
}

/// Returns the schema to which a path such as `.spec.labels['a.b']` leads; `None` if it leads to
/// none. `brackets` allows steps such as `['a.b']`, which selectable fields cannot have.
pub fn lead<'a>(schema: &'a Object, path: &str, brackets: bool) -> Option<&'a Object> {
    let mut schema = schema;
    let mut rest = path;
    while !rest.is_empty() {
        let name;
        if let Some(quoted) = rest.strip_prefix("['").filter(|_| brackets) {
            let end = quoted.find("']")?;
            (name, rest) = (&quoted[..end], &quoted[end + 2..]);
        } else {
            let plain = rest.strip_prefix('.')?;
            let end = plain.find(['.', '[']).unwrap_or(plain.len());
            (name, rest) = (&plain[..end], &plain[end..]);
            if name.is_empty() {
                return None;
            }
        }
        schema = match schema.get("properties") {
            Some(fields) => fields.get(name)?.as_object()?,
            None => schema.get("additionalProperties")?.as_object()?,
        };
    }
    Some(schema)
}
