//! Conversion of schema keywords to attributes.

use serde_json::{Map, Value};

use super::model::Arg;
use crate::text::{is_direction, is_unprintable};

/// The attributes of a type or a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes {
    /// Lines of the doc comment.
    pub doc: Vec<String>,
    /// Arguments of `#[schemars(..)]`.
    pub schemars: Vec<Arg>,
    /// Arguments of `#[x_kube(..)]`, each written as its own attribute.
    pub x_kube: Vec<String>,
}

/// Removes the limits that schemars supports from the keywords, and returns them as arguments of
/// `#[schemars(..)]`: `length(min = 1)`. `kind` is the `type` of the schema, as JSON.
pub fn validations(keywords: &mut Map<String, Value>, kind: &Value) -> Vec<Arg> {
    let mut args = Vec::new();
    let kind = kind.as_str().unwrap_or_default();
    let (least, most, call) = match kind {
        "string" => ("minLength", "maxLength", "length"),
        "array" => ("minItems", "maxItems", "length"),
        "integer" | "number" => ("minimum", "maximum", "range"),
        _ => return args,
    };
    let exclusive = |keyword: &str| keywords.get(keyword) == Some(&Value::Bool(true));
    if !exclusive("exclusiveMinimum") && !exclusive("exclusiveMaximum") {
        let mut limits = Vec::new();
        for (keyword, word) in [(least, "min"), (most, "max")] {
            if let Some(limit) = keywords.shift_remove(keyword) {
                let limit = rust(&limit);
                limits.push(if limit.starts_with('-') {
                    Arg::Verbatim(format!("{word} = {limit}"))
                } else {
                    Arg::Leaf(format!("{word} = {limit}"))
                });
            }
        }
        if !limits.is_empty() {
            args.push(Arg::Call(call, limits));
        }
    }
    if kind == "string"
        && let Some(Value::String(pattern)) = keywords.shift_remove("pattern")
    {
        args.push(Arg::Call(
            "regex",
            vec![Arg::Leaf(format!("pattern = {}", raw(&pattern)))],
        ));
    }
    args
}

/// Returns the attributes for the keywords that a Rust type does not express. `kind` is the `type`
/// of the schema, on which the attributes for limits depend; null for no such attributes.
pub fn of(mut keywords: Map<String, Value>, kind: &Value, place: AttributeTarget) -> Attributes {
    let mut found = Attributes::default();
    if let Some(description) = keywords.shift_remove("description") {
        found.describe(description.as_str().unwrap_or_default());
    }
    found.schemars.extend(validations(&mut keywords, kind));
    if matches!(place, AttributeTarget::Field | AttributeTarget::Struct) {
        found.x_kube.extend(rules(&mut keywords));
    }
    if place == AttributeTarget::Field {
        found.x_kube.extend(merging(&mut keywords));
    }
    for (keyword, value) in &keywords {
        if !has_no_effect(keyword, value) {
            found.schemars.push(Arg::Verbatim(format!(
                "extend({} = {})",
                quoted(keyword),
                rust(value)
            )));
        }
    }
    found
}

/// The item that has the attributes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AttributeTarget {
    /// A field of a struct.
    Field,
    Struct,
    Enum,
    /// The only field of a transparent struct. It is not a property, so kube's attributes do not
    /// apply.
    Value,
}

/// Reports whether a keyword has no effect, so that it can be omitted.
pub fn has_no_effect(keyword: &str, value: &Value) -> bool {
    const FLAGS: [&str; 7] = [
        "exclusiveMaximum",
        "exclusiveMinimum",
        "nullable",
        "uniqueItems",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
        "x-kubernetes-preserve-unknown-fields",
    ];
    match value {
        Value::Null => true,
        Value::Bool(false) => FLAGS.contains(&keyword),
        Value::String(text) => text.is_empty() && keyword != "default" && keyword != "example",
        Value::Array(items) => {
            items.is_empty()
                && matches!(
                    keyword,
                    "required" | "allOf" | "anyOf" | "oneOf" | "x-kubernetes-validations"
                )
        }
        _ => false,
    }
}

impl Attributes {
    fn describe(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if is_plain(text) {
            self.doc = text.split('\n').map(str::to_owned).collect();
        } else {
            self.schemars
                .push(Arg::Leaf(format!("description = {}", quoted(text))));
        }
    }
}

/// Reports whether a text can be a doc comment without being changed: schemars trims the text and
/// takes a first line with `#` for a title, rustfmt trims lines, and rustdoc runs what looks like
/// code.
pub fn is_plain(text: &str) -> bool {
    let plain_line = |line: &str| {
        !line.ends_with(char::is_whitespace)
            && !line.starts_with("    ")
            && !line.chars().any(is_hidden)
    };
    !text.is_empty()
        && text.trim() == text
        && !text.starts_with('#')
        && !text.contains("```")
        && !text.contains("~~~")
        && text.split('\n').all(plain_line)
}

/// Removes the CEL rules from the keywords, and returns `validation = Rule::new(..)` for each of
/// them. If one of the rules cannot be written like this, returns nothing and removes nothing.
pub fn rules(keywords: &mut Map<String, Value>) -> Vec<String> {
    let rules = keywords
        .get("x-kubernetes-validations")
        .and_then(Value::as_array);
    let Some(rules) = rules.and_then(|rules| rules.iter().map(rule).collect::<Option<Vec<_>>>())
    else {
        return Vec::new();
    };
    keywords.shift_remove("x-kubernetes-validations");
    rules
}

fn rule(rule: &Value) -> Option<String> {
    use std::fmt::Write as _;
    let mut text = format!("validation = Rule::new({})", quoted(rule["rule"].as_str()?));
    for (keyword, value) in rule.as_object()? {
        let word = value.as_str();
        match (keyword.as_str(), word) {
            ("rule", _) => {}
            (_, Some("")) | ("optionalOldSelf", None) if *value != true => {}
            ("message", Some(message)) => write!(text, ".message({})", quoted(message)).ok()?,
            ("fieldPath", Some(path)) => write!(text, ".field_path({})", quoted(path)).ok()?,
            (
                "reason",
                Some(
                    reason @ ("FieldValueInvalid"
                    | "FieldValueForbidden"
                    | "FieldValueRequired"
                    | "FieldValueDuplicate"),
                ),
            ) => {
                write!(text, ".reason(Reason::{reason})").ok()?;
            }
            ("optionalOldSelf", None) => text += ".optional_old_self(true)",
            _ => return None,
        }
    }
    Some(text)
}

/// Removes the keywords that set how a list or a map is merged, and returns `merge_strategy = ..`.
/// `None` if there are none, or if the attribute cannot express them.
fn merging(keywords: &mut Map<String, Value>) -> Option<String> {
    let text = |keyword: &str| keywords.get(keyword).and_then(Value::as_str);
    let strategy = match (
        text("x-kubernetes-list-type"),
        text("x-kubernetes-map-type"),
    ) {
        (Some("atomic"), None) => "ListMerge::Atomic".to_owned(),
        (Some("set"), None) => "ListMerge::Set".to_owned(),
        (Some("map"), None) => {
            let keys = keywords.get("x-kubernetes-list-map-keys")?.as_array()?;
            let keys: Option<Vec<_>> = keys.iter().map(Value::as_str).collect();
            let keys: Vec<_> = keys?
                .into_iter()
                .map(|key| format!("{}.into()", quoted(key)))
                .collect();
            keywords.shift_remove("x-kubernetes-list-map-keys");
            format!("ListMerge::Map(vec![{}])", keys.join(", "))
        }
        (None, Some("atomic")) => "MapMerge::Atomic".to_owned(),
        (None, Some("granular")) => "MapMerge::Granular".to_owned(),
        _ => return None,
    };
    keywords.shift_remove("x-kubernetes-list-type");
    keywords.shift_remove("x-kubernetes-map-type");
    Some(format!("merge_strategy = {strategy}"))
}

/// Returns a value in the syntax of `json!`.
pub fn rust(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(rust).collect::<Vec<_>>().join(", ")
        ),
        Value::Object(map) => {
            let entries = map
                .iter()
                .map(|(key, value)| format!("{}: {}", quoted(key), rust(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Number(number) if number.as_i64().is_some_and(|n| i32::try_from(n).is_err()) => {
            format!("{number}_i64")
        }
        Value::Number(number) if number.is_u64() && number.as_i64().is_none() => {
            format!("{number}_u64")
        }
        other => other.to_string(),
    }
}

/// Reports whether a character cannot be part of a comment: control characters, and characters that
/// change the direction of the text around them, which rustc rejects.
fn is_hidden(c: char) -> bool {
    c.is_control() || is_direction(c)
}

/// Returns a text as a Rust string literal.
pub fn quoted(text: &str) -> String {
    if text.contains(['\\', '"']) && !text.chars().any(is_unprintable) {
        return raw(text);
    }
    format!("{text:?}")
}

/// Returns a text as a raw string literal if possible, otherwise as an escaped one.
fn raw(text: &str) -> String {
    if text.chars().any(is_unprintable) {
        return format!("{text:?}");
    }
    if !text.contains(['\\', '"']) {
        return format!("\"{text}\"");
    }
    let mut hashes = String::new();
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"{text}\"{hashes}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_cannot_be_seen_are_escaped_in_literals() {
        for hidden in ['\u{feff}', '\u{2028}', '\u{200b}'] {
            let text = format!("^{hidden}\\w$");
            for literal in [quoted(&text), raw(&text)] {
                let escaped = hidden.escape_unicode();
                assert_eq!(literal, format!(r#""^{escaped}\\w$""#));
            }
        }
    }

    #[test]
    fn text_that_changes_direction_is_escaped() {
        for direction in ['\u{202e}', '\u{61c}'] {
            let text = format!("a {direction} \"b\"");
            assert!(!is_plain(&text));
            for literal in [quoted(&text), raw(&text)] {
                let escaped = direction.escape_unicode();
                assert_eq!(literal, format!(r#""a {escaped} \"b\"""#));
            }
        }
        assert!(is_plain("größe \u{200B}日本"));
    }
}
