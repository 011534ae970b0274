//! The limits and rules of a schema, one line for each.

use serde_json::{Value, json};

use super::document::{Line, code, codes, joined, labeled, text};
use super::prose;
use crate::crd::cel::{is_same, is_transition};
use crate::crd::keywords::{VALIDATIONS, one_line};
use crate::crd::node::Object;

/// The presentation of a keyword.
enum Shown {
    /// The keyword is a flag, and shown if it is `true`.
    Flag,
    /// The value is shown.
    Value,
    /// The value is a list, and each item is shown.
    Items,
    /// The value is a sentence.
    Prose,
    /// The value is a link with a description.
    Link,
}

/// The keywords with their labels and presentations, in the order in which they are shown.
const KEYWORDS: [(&str, &str, Shown); 24] = [
    ("title", "Title", Shown::Prose),
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
        "Unknown fields are stored",
        Shown::Flag,
    ),
    (
        "x-kubernetes-embedded-resource",
        "Embedded resource",
        Shown::Flag,
    ),
    ("example", "Example", Shown::Value),
    ("externalDocs", "See", Shown::Link),
];

/// The keywords that a field shows elsewhere, and an alternative only here.
const OF_ALTERNATIVES: [(&str, &str, Shown); 3] = [
    ("required", "Required", Shown::Items),
    ("type", "Type", Shown::Value),
    ("format", "Format", Shown::Value),
];

/// The keywords that combine schemas.
const JUNCTIONS: [(&str, &str); 2] = [("oneOf", "Exactly one of"), ("anyOf", "At least one of")];

/// Returns the notes on a schema. `of` names its values in the notes, for example `each item`;
/// empty for the field itself.
pub fn of_schema(schema: &Object, of: &str) -> Vec<Line> {
    let limits = KEYWORDS.iter();
    let mut notes: Vec<_> = limits
        .filter_map(|keyword| limit(schema, keyword, of))
        .collect();
    notes.extend(JUNCTIONS.iter().filter_map(|(keyword, label)| {
        let branches = schema.get(*keyword)?.as_array()?;
        let branches = Some(branches).filter(|branches| !is_int_or_string(branches))?;
        Some(labeled(&with(label, of), alternatives(branches)))
    }));
    if let Some(not) = schema.get("not").and_then(Value::as_object) {
        notes.push(labeled(&with("Must not match", of), alternative(not)));
    }
    let rules = schema.get(VALIDATIONS).and_then(Value::as_array);
    notes.extend(rules.into_iter().flatten().map(|it| rule(it, of)));
    let all = schema.get("allOf").and_then(Value::as_array);
    let all = all.into_iter().flatten().filter_map(Value::as_object);
    notes.extend(all.flat_map(|schema| conditions(schema, of)));
    notes
}

/// Returns the notes on a schema that only restricts another one, and on the fields inside it.
fn conditions(schema: &Object, of: &str) -> Vec<Line> {
    let own = OF_ALTERNATIVES.iter();
    let mut notes: Vec<_> = own
        .filter_map(|keyword| limit(schema, keyword, of))
        .collect();
    notes.extend(of_schema(schema, of));
    let fields = schema.get("properties").and_then(Value::as_object);
    for (name, field) in fields.into_iter().flatten() {
        let field = field.as_object().into_iter();
        notes.extend(field.flat_map(|field| conditions(field, &inside(name, of))));
    }
    for (keyword, each) in [
        ("items", "each item"),
        ("additionalProperties", "each value"),
    ] {
        let values = schema.get(keyword).and_then(Value::as_object).into_iter();
        notes.extend(values.flat_map(|values| conditions(values, &inside(each, of))));
    }
    notes
}

/// Returns the name of a value inside another one, for example `each item of list`.
fn inside(name: &str, of: &str) -> String {
    if of.is_empty() {
        name.to_owned()
    } else {
        format!("{name} of {of}")
    }
}

/// Returns a JSON value on one line. Strings have no quotes, unless they look like another value or
/// have white space that would not be seen.
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

/// Returns true unless a text is empty, begins or ends with white space, or contains white space
/// other than single spaces.
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

/// Returns the note on one keyword; `None` if the schema does not have it.
fn limit(schema: &Object, (keyword, label, shown): &(&str, &str, Shown), of: &str) -> Option<Line> {
    let value = schema.get(*keyword)?;
    let label = with(label, of);
    match (shown, value) {
        (Shown::Flag, value) => (*value == Value::Bool(true)).then(|| vec![text(label)]),
        (Shown::Items, Value::Array(items)) => {
            Some(labeled(&label, codes(items.iter().map(literal))))
        }
        (Shown::Prose, Value::String(title)) => Some(labeled(&label, prose::line(title))),
        (Shown::Link, Value::Object(link)) => {
            let parts = ["description", "url"].map(|name| link.get(name).and_then(Value::as_str));
            let parts: Vec<_> = parts.into_iter().flatten().collect();
            Some(labeled(&label, prose::line(&parts.join(": "))))
        }
        (_, value) => Some(labeled(&label, vec![code(literal(value))])),
    }
}

/// Returns true for the branches that the API server demands from a schema with
/// `x-kubernetes-int-or-string`.
fn is_int_or_string(branches: &[Value]) -> bool {
    branches == [json!({"type": "integer"}), json!({"type": "string"})]
}

/// Returns the branches of a junction.
fn alternatives(branches: &[Value]) -> Line {
    let branches = branches.iter().filter_map(Value::as_object);
    joined(branches.map(alternative), &text(", "))
}

/// Returns what a branch demands: the names of fields, or its conditions in parentheses.
fn alternative(branch: &Object) -> Line {
    if let Some(names) = only_required(branch) {
        return vec![code(names)];
    }
    let mut line = vec![text("(")];
    line.extend(joined(conditions(branch, ""), &text(" and ")));
    if line.len() == 1 {
        line.push(text("anything"));
    }
    line.push(text(")"));
    line
}

/// Returns the names of the fields that a branch requires; `None` if it demands something else,
/// too.
fn only_required(branch: &Object) -> Option<String> {
    let names = branch.get("required").filter(|_| branch.len() == 1)?;
    let names = names.as_array()?.iter().map(Value::as_str);
    Some(names.collect::<Option<Vec<_>>>()?.join(" + "))
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
    if let Some(reason) = field("reason") {
        line.extend([text(", reason "), code(reason)]);
    }
    line
}
