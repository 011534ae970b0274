//! The merge of server-side apply, and of strategic merge patches without directives.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{fields::parts, shape::Shape};

/// Merges `applied` into `onto`. Sets and lists with keys are merged item by item, in the order of `applied`. Atomic values are
/// replaced, and so are lists if one of the two is empty.
pub(super) fn merged(onto: &Value, applied: &Value, shape: Shape<'_>) -> Value {
    match (onto, applied) {
        (Value::Object(old), Value::Object(new)) if !shape.is_atomic() => {
            let mut map = old.clone();
            for (name, value) in new {
                let value = match old.get(name) {
                    Some(old) => merged(old, value, shape.field(name)),
                    None => value.clone(),
                };
                map.insert(name.clone(), value);
            }
            map.into()
        }
        (Value::Array(_), Value::Array(_)) => match (parts(onto, shape), parts(applied, shape)) {
            (Some(old), Some(new)) => merged_items(&old, &new).into(),
            _ => applied.clone(),
        },
        _ => applied.clone(),
    }
}

/// Merges two lists with keys. Items that only the old list has stay between the same neighbors.
fn merged_items(
    old: &[(String, &Value, Shape<'_>)],
    new: &[(String, &Value, Shape<'_>)],
) -> Vec<Value> {
    let of_old: BTreeMap<&String, &Value> =
        old.iter().map(|(step, value, _)| (step, *value)).collect();
    let mut done: Vec<&String> = Vec::new();
    let mut items = Vec::new();
    let mut old = old.iter().peekable();
    for (step, value, shape) in new {
        while let Some((known, value, _)) = old.peek() {
            if new.iter().all(|(step, ..)| step != known) {
                items.push((*value).clone());
            } else if !done.contains(&known) {
                break;
            }
            old.next();
        }
        items.push(match of_old.get(step) {
            Some(before) => merged(before, value, *shape),
            None => (*value).clone(),
        });
        done.push(step);
    }
    let rest = old.filter(|(known, ..)| new.iter().all(|(step, ..)| step != known));
    items.extend(rest.map(|(_, value, _)| (*value).clone()));
    items
}
