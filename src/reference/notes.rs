//! The limits and rules of a schema, one line for each.

use serde_json::Value;

use super::document::{Line, code, codes, labeled, text};
use super::prose;
use crate::crd::cel::{is_same, is_transition};
use crate::crd::keywords::{VALIDATIONS, one_line};
use crate::crd::node::{Node, Object, flag};

/// The presentation of a keyword.
enum Shown {
    /// The keyword is a flag, and shown if it is `true`.
    Flag,
    /// The value is shown.
    Value,
    /// The value is a list, and each item is shown.
    Items,
}

/// The keywords, in the order in which they are shown.
const KEYWORDS: [(&str, &str, Shown); 23] = [
    ("const", "Value", Shown::Value),
    ("enum", "Enum", Shown::Items),
    ("minimum", "Minimum", Shown::Value),
    ("exclusiveMinimum", "Minimum is exclusive", Shown::Flag),
    ("maximum", "Maximum", Shown::Value),
    ("exclusiveMaximum", "Maximum is exclusive", Shown::Flag),
    ("multipleOf", "Multiple of", Shown::Value),
    ("minLength", "Min length", Shown::Value),
    ("maxLength", "Max length", Shown::Value),
    ("pattern", "Pattern", Shown::Value),
    ("minItems", "Min items", Shown::Value),
    ("maxItems", "Max items", Shown::Value),
    ("uniqueItems", "Unique items", Shown::Flag),
    ("minProperties", "Min properties", Shown::Value),
    ("maxProperties", "Max properties", Shown::Value),
    ("nullable", "Nullable", Shown::Flag),
    ("x-kubernetes-list-type", "List type", Shown::Value),
    ("x-kubernetes-list-map-keys", "List keys", Shown::Items),
    ("x-kubernetes-map-type", "Map type", Shown::Value),
    (
        "x-kubernetes-preserve-unknown-fields",
        "Unknown fields are kept",
        Shown::Flag,
    ),
    (
        "x-kubernetes-embedded-resource",
        "Embedded resource",
        Shown::Flag,
    ),
    ("example", "Example", Shown::Value),
    ("externalDocs", "See", Shown::Value),
];

/// The keywords that combine schemas.
const JUNCTIONS: [(&str, &str); 2] = [("oneOf", "Exactly one of"), ("anyOf", "At least one of")];

/// Returns the notes on a schema. `of` names its values in the notes, for example `each item`; empty for the field itself.
pub fn of_schema(schema: &Object, of: &str) -> Vec<Line> {
    let mut notes = Vec::new();
    for schema in Node::root(schema).conjuncts() {
        notes.extend(
            KEYWORDS
                .iter()
                .filter_map(|keyword| limit(schema, keyword, of)),
        );
        notes.extend(JUNCTIONS.iter().filter_map(|(keyword, label)| {
            let branches = schema.get(*keyword)?.as_array()?;
            (!flag(schema, "x-kubernetes-int-or-string"))
                .then(|| labeled(&with(label, of), alternatives(branches)))
        }));
        notes.extend(
            schema
                .get("not")
                .map(|not| labeled(&with("Must not match", of), vec![code(literal(not))])),
        );
        let rules = schema.get(VALIDATIONS).and_then(Value::as_array);
        notes.extend(rules.into_iter().flatten().map(|it| rule(it, of)));
    }
    notes
}

/// Returns a JSON value on one line. Strings have no quotes, unless they look like another value or have white space that
/// would not be seen.
pub fn literal(value: &Value) -> String {
    let is_whole = |number: &f64| number.fract() == 0.0;
    match value {
        // schemars prints the limits of an integer as `1.0`.
        Value::Number(number) if number.is_f64() => match number.as_f64().filter(is_whole) {
            Some(whole) => format!("{whole:.0}"),
            None => value.to_string(),
        },
        Value::String(text) if is_visible(text) && serde_json::from_str::<Value>(text).is_err() => {
            text.clone()
        }
        _ => value.to_string(),
    }
}

/// Returns true unless a text is empty, begins or ends with white space, or contains white space other than single spaces.
fn is_visible(text: &str) -> bool {
    let has_wide_space = text.contains("  ") || text.contains(char::is_control);
    !text.is_empty() && text.trim() == text && !has_wide_space
}

fn with(label: &str, of: &str) -> String {
    if of.is_empty() {
        label.to_owned()
    } else {
        format!("{label} ({of})")
    }
}

fn limit(schema: &Object, (keyword, label, shown): &(&str, &str, Shown), of: &str) -> Option<Line> {
    let value = schema.get(*keyword)?;
    let label = with(label, of);
    match (shown, value) {
        (Shown::Flag, value) => (*value == Value::Bool(true)).then(|| vec![text(label)]),
        (Shown::Items, Value::Array(items)) => {
            Some(labeled(&label, codes(items.iter().map(literal))))
        }
        (_, value) => Some(labeled(&label, vec![code(literal(value))])),
    }
}

/// Returns the branches of a junction. Branches that only require fields are shown as the names of these.
fn alternatives(branches: &[Value]) -> Line {
    let names = branches.iter().map(|branch| {
        let branch = branch.as_object().filter(|branch| branch.len() == 1)?;
        let names = branch.get("required")?.as_array()?;
        let names: Option<Vec<_>> = names.iter().map(Value::as_str).collect();
        Some(names?.join(" + "))
    });
    match names.collect::<Option<Vec<_>>>() {
        Some(names) => codes(names),
        None => codes(branches.iter().map(literal)),
    }
}

/// Returns a CEL rule: its message, and the expression.
fn rule(rule: &Value, of: &str) -> Line {
    let field = |name: &str| rule[name].as_str();
    let expression = field("rule").unwrap_or_default();
    let is_transition = is_transition(expression);
    let label = match is_transition {
        true if is_same(expression, "self == oldSelf") => "Immutable",
        true => "Rule for updates",
        false => "Rule",
    };
    let mut line = vec![text(format!("{}: ", with(label, of)))];
    if let Some(message) = field("message") {
        line.extend(prose::line(message));
        line.push(text(": "));
    }
    line.push(code(one_line(expression)));
    if let Some(message) = field("messageExpression").filter(|_| field("message").is_none()) {
        line.extend([text(", message: "), code(one_line(message))]);
    }
    if let Some(path) = field("fieldPath") {
        line.extend([text(", reported at "), code(path)]);
    }
    line
}
