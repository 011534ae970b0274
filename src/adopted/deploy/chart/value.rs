//! The behaviour of values in Go templates and Helm charts. A value is represented as JSON.

use std::cmp::Ordering;

use serde_json::Value;

const NULL: Value = Value::Null;

/// Returns the value at a path of fields, or null if a part of the path does not exist.
pub fn field<'a>(value: &'a Value, path: &[String]) -> &'a Value {
    path.iter()
        .fold(value, |value, part| value.get(part).unwrap_or(&NULL))
}

/// Returns the truth of a value, as for `if` and `default`: null, false, zero, and an empty text,
/// list or map are false.
pub fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is) => *is,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

/// Returns the text that a chart prints for a value. Null prints nothing: Helm removes the `<no
/// value>` of Go templates.
pub fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(text).collect::<Vec<_>>().join(" "))
        }
        Value::Object(map) => {
            let entries = map
                .iter()
                .map(|(key, value)| format!("{key}:{}", text(value)));
            format!("map[{}]", entries.collect::<Vec<_>>().join(" "))
        }
        other => other.to_string(),
    }
}

/// Merges `over` into `base`: maps key by key, anything else as a whole. A null in `over` removes
/// the key, as in the values of Helm.
pub fn merge(base: &mut Value, over: &Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                if value.is_null() {
                    base.remove(key);
                } else {
                    merge(base.entry(key.clone()).or_insert(Value::Null), value);
                }
            }
        }
        (base, over) => base.clone_from(over),
    }
}

/// Combines two files of values into one: maps key by key, anything else as a whole. A null stays,
/// since it removes a default of the chart when the result is merged.
pub fn overlay(base: &mut Value, over: &Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                overlay(base.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (base, over) => base.clone_from(over),
    }
}

/// Compares two values for `lt`, `le`, `gt` and `ge`: numbers by value, all others by their text.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => text(a).cmp(&text(b)),
    }
}

/// Compares two values for `eq` and `ne`. Numbers are equal if their values are: 1 and 1.0.
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a.total_cmp(&b) == Ordering::Equal,
        _ => a == b,
    }
}

/// Returns the kind of a value as `kindOf` names it. Null is `invalid`, as in Go's reflection.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "invalid",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
    }
}
