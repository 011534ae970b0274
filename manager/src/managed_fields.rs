//! Decides whether a live object already has the desired state, without a request to the API
//! server.
//!
//! Server-side apply records in `managedFields` which fields a manager set. So no request is needed
//! if (1) the recorded fields are exactly those of the desired object and (2) each has the desired
//! value. Both conditions matter. A field that the operator no longer sets shows in (1) only, and a
//! changed value in (2) only. A field that another writer has overwritten shows in both, because
//! its record moved to that writer. Fields set by others are not recorded for this manager, and are
//! ignored.
//!
//! The record also shows how lists are merged: `k:{"name":"web"}` is the item with that key,
//! `v:"x"` a member of a set, and a list without such children is one atomic value.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Map, Value};

/// Metadata fields that identify an object or are set by the API server. They are not part of the
/// applied state.
const IDENTITY: [&str; 8] = [
    "creationTimestamp",
    "generateName",
    "generation",
    "managedFields",
    "name",
    "namespace",
    "resourceVersion",
    "uid",
];

/// Maps whose values are quantities, which the API server normalizes (`1000m` becomes `1`).
const QUANTITY_MAPS: [&str; 5] = ["capacity", "hard", "limits", "overhead", "requests"];
/// Fields that are quantities.
const QUANTITY_FIELDS: [&str; 2] = ["divisor", "sizeLimit"];

/// Returns true if applying `wanted` would change nothing. `fields` is this manager's `fieldsV1` in
/// the `managedFields` of the live object, `wanted` a result of [`desired_state`], and `live` the
/// whole live object.
pub(crate) fn is_applied(fields: &Value, wanted: &Value, live: &Value) -> bool {
    is_applied_value(fields, wanted, live, false)
}

/// Returns the values in `live` of all fields in `fields`, with the structure of `fields`.
fn view(fields: &Value, live: &Value) -> Value {
    let Some(children) = children(fields) else {
        return live.clone();
    };
    let pick = |step: &str, child: &Value| match PathStep::parse(step) {
        PathStep::Field(name) => live.get(name).map(|value| view(child, value)),
        PathStep::Item(key) => find_item(live, &key).map(|(_, item)| view(child, item)),
        PathStep::Member(_) | PathStep::Other => None,
    };
    let picked = children
        .iter()
        .map(|(step, child)| (step.clone(), pick(step, child).unwrap_or_default()));
    Value::Object(picked.collect())
}

/// Returns a hash of `fields` and of their values in `live`. Equal hashes mean the same applied
/// state, also where the API server has normalized a value.
pub(crate) fn applied_hash(fields: &Value, live: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    view(fields, live).hash(&mut hasher);
    hasher.finish()
}

/// Returns the part of a desired object that an apply sets: without `apiVersion`, `kind` and the
/// metadata that identifies the object or is set by the API server.
pub(crate) fn desired_state(mut wanted: Value) -> Value {
    if let Some(root) = wanted.as_object_mut() {
        root.remove("apiVersion");
        root.remove("kind");
        if let Some(metadata) = root.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.retain(|name, _| !IDENTITY.contains(&name.as_str()));
        }
    }
    wanted
}

/// Does the same as [`is_applied`] for one value. `quantity` is true if it is a quantity, or a map
/// of quantities.
fn is_applied_value(fields: &Value, wanted: &Value, live: &Value, quantity: bool) -> bool {
    let Some(children) = children(fields) else {
        return equal(wanted, live, quantity);
    };
    match wanted {
        Value::Object(wanted) => are_fields_applied(children, wanted, live, quantity),
        Value::Array(wanted) => are_items_applied(children, wanted, live),
        _ => false,
    }
}

fn are_fields_applied(
    recorded: &Map<String, Value>,
    wanted: &Map<String, Value>,
    live: &Value,
    quantity: bool,
) -> bool {
    let mut known = 0;
    for (step, child) in recorded {
        let PathStep::Field(name) = PathStep::parse(step) else {
            if step == "." {
                continue;
            }
            return false;
        };
        let (Some(value), Some(live)) = (wanted.get(name), live.get(name)) else {
            return false;
        };
        let quantity = quantity || QUANTITY_FIELDS.contains(&name) || is_quantity_map(name, live);
        if !is_applied_value(child, value, live, quantity) {
            return false;
        }
        known += 1;
    }
    let set_fields = wanted
        .iter()
        .filter(|(name, value)| !is_nothing(value) || recorded.contains_key(&format!("f:{name}")));
    set_fields.count() == known
}

fn are_items_applied(recorded: &Map<String, Value>, wanted: &[Value], live: &Value) -> bool {
    let mut left: Vec<&Value> = wanted.iter().collect();
    for (step, child) in recorded {
        let (place, live) = match PathStep::parse(step) {
            PathStep::Item(key) => (
                best_match(&left, &key),
                find_item(live, &key).map(|(_, item)| item),
            ),
            PathStep::Member(value) => {
                let has = |items: &Vec<Value>| items.contains(&value);
                (
                    left.iter().position(|item| **item == value),
                    live.as_array().filter(|items| has(items)).map(|_| live),
                )
            }
            _ if step == "." => continue,
            _ => return false,
        };
        let (Some(place), Some(live)) = (place, live) else {
            return false;
        };
        let item = left.swap_remove(place);
        if !step.starts_with("v:") && !is_applied_value(child, item, live, false) {
            return false;
        }
    }
    left.is_empty()
}

/// Returns the children of a record, or `None` for a leaf: `{}`, or `{".": {}}`.
fn children(fields: &Value) -> Option<&Map<String, Value>> {
    fields
        .as_object()
        .filter(|children| children.keys().any(|step| step != "."))
}

/// One key of a record.
enum PathStep<'a> {
    /// `f:name`: a field.
    Field(&'a str),
    /// `k:{..}`: the item of a list with these key fields.
    Item(Map<String, Value>),
    /// `v:..`: a member of a set.
    Member(Value),
    /// `.`, which is the map or list itself, and unknown keys.
    Other,
}

impl<'a> PathStep<'a> {
    fn parse(step: &'a str) -> Self {
        match step.split_once(':') {
            Some(("f", name)) => Self::Field(name),
            Some(("k", key)) => serde_json::from_str(key).map_or(Self::Other, Self::Item),
            Some(("v", value)) => serde_json::from_str(value).map_or(Self::Other, Self::Member),
            _ => Self::Other,
        }
    }
}

/// Counts the fields of the key that an item has with the same value. Returns `None` if one
/// differs. An item may omit fields that have a default (`protocol: TCP`); the key contains them.
fn agreement(item: &Value, key: &Map<String, Value>) -> Option<usize> {
    let stated: Vec<bool> = key
        .iter()
        .filter_map(|(name, value)| item.get(name).map(|own| own == value))
        .collect();
    stated.iter().all(|same| *same).then_some(stated.len())
}

/// Returns the index of the item that agrees with the key in the most fields; `None` if all differ.
fn best_match(items: &[&Value], key: &Map<String, Value>) -> Option<usize> {
    let agreeing = items
        .iter()
        .enumerate()
        .filter_map(|(place, item)| Some((agreement(item, key)?, place)));
    agreeing
        .max_by_key(|(stated, _)| *stated)
        .map(|(_, place)| place)
}

/// Returns the item of a list with this key, and its index.
fn find_item<'a>(list: &'a Value, key: &Map<String, Value>) -> Option<(usize, &'a Value)> {
    let items: Vec<&Value> = list.as_array()?.iter().collect();
    best_match(&items, key).map(|place| (place, items[place]))
}

/// Compares a value that is owned as a whole. The two defaults that the API server sets inside such
/// values are ignored.
fn equal(wanted: &Value, live: &Value, quantity: bool) -> bool {
    match (wanted, live) {
        (Value::Object(wanted), Value::Object(live)) => {
            let filled_in = |name: &str, value: &Value| {
                !wanted.contains_key(name)
                    && matches!(
                        (name, value.as_str()),
                        ("apiVersion", Some("v1")) | ("divisor", Some("0"))
                    )
            };
            let same = |name: &String, value: &Value| {
                let quantity = quantity || QUANTITY_FIELDS.contains(&name.as_str());
                live.get(name).map_or(is_nothing(value), |live| {
                    equal(value, live, quantity || is_quantity_map(name, live))
                })
            };
            wanted.iter().all(|(name, value)| same(name, value))
                && live
                    .iter()
                    .all(|(name, value)| wanted.contains_key(name) || filled_in(name, value))
        }
        (Value::Array(wanted), Value::Array(live)) => {
            wanted.len() == live.len()
                && wanted
                    .iter()
                    .zip(live)
                    .all(|(wanted, live)| equal(wanted, live, false))
        }
        _ if wanted == live => true,
        _ if quantity => amount(wanted)
            .is_some_and(|wanted| amount(live).is_some_and(|live| is_nearly_equal(wanted, live))),
        _ => false,
    }
}

fn is_quantity_map(name: &str, value: &Value) -> bool {
    QUANTITY_MAPS.contains(&name) && value.is_object()
}

/// Returns true for `null`, `[]`, `{}` and maps that contain only such values: setting them is the
/// same as omitting them.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(map) => map.values().all(is_nothing),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

/// Parses a quantity: `1500m` is 1.5, `1Ki` is 1024. Returns `None` for other values.
fn amount(value: &Value) -> Option<f64> {
    let text = match value {
        Value::String(text) => text.as_str(),
        Value::Number(number) => return number.as_f64(),
        _ => return None,
    };
    if let Ok(plain) = text.parse::<f64>() {
        return Some(plain);
    }
    let (number, suffix) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic())?);
    let factor = match suffix {
        "n" => 1e-9,
        "u" => 1e-6,
        "m" => 1e-3,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "E" => 1e18,
        "Ki" => 1024.0,
        "Mi" => 1024_f64.powi(2),
        "Gi" => 1024_f64.powi(3),
        "Ti" => 1024_f64.powi(4),
        "Pi" => 1024_f64.powi(5),
        "Ei" => 1024_f64.powi(6),
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * factor)
}

/// Compares numbers, which rounding may have changed in the last digits.
fn is_nearly_equal(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

#[cfg(test)]
#[path = "managed_fields_tests.rs"]
mod tests;
