//! The merge of server-side apply, and of strategic merge patches without directives.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{fields::merged_parts, shape::Shape};

/// Merges `applied` into `onto`. Sets and map lists (`x-kubernetes-list-type: map`) are merged item
/// by item, in the order of `applied`. Atomic values are replaced. An empty list adds no items, so
/// the others stay.
///
/// Removes nothing: [`Managers::apply`](super::managers::Managers::apply) removes the fields that
/// the manager no longer applies, and the caller removes the `null`s of a patch.
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
        (Value::Array(_), Value::Array(_)) => {
            match (merged_parts(onto, shape), merged_parts(applied, shape)) {
                (Some(old), Some(new)) => merged_items(&old, &new).into(),
                (Some(_), None) if is_empty(applied) => onto.clone(),
                _ => applied.clone(),
            }
        }
        _ => applied.clone(),
    }
}

fn is_empty(list: &Value) -> bool {
    list.as_array().is_some_and(Vec::is_empty)
}

/// Merges two sets or map lists. Items that only the old list has stay between the same neighbors.
fn merged_items(
    old: &[(String, &Value, Shape<'_>)],
    new: &[(String, &Value, Shape<'_>)],
) -> Vec<Value> {
    let of_old: BTreeMap<&String, &Value> = old
        .iter()
        .map(|(element, value, _)| (element, *value))
        .collect();
    let mut merged_keys: Vec<&String> = Vec::new();
    let mut items = Vec::new();
    let mut old = old.iter().peekable();
    for (element, value, shape) in new {
        while let Some((known, value, _)) = old.peek() {
            if new.iter().all(|(element, ..)| element != known) {
                items.push((*value).clone());
            } else if !merged_keys.contains(&known) {
                break;
            }
            old.next();
        }
        items.push(match of_old.get(element) {
            Some(before) => merged(before, value, *shape),
            None => (*value).clone(),
        });
        merged_keys.push(element);
    }
    let rest = old.filter(|(known, ..)| new.iter().all(|(element, ..)| element != known));
    items.extend(rest.map(|(_, value, _)| (*value).clone()));
    items
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::fields::Fields;

    /// The answers of a real API server.
    #[test]
    fn an_applied_empty_list_keeps_the_items_of_others() {
        let schema = json!({"properties": {
            "marks": {"x-kubernetes-list-type": "set"},
            "bells": {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"]},
            "plain": {},
        }});
        let shape = Shape::Schema(&schema);
        let live = json!({"marks": ["a", "b"], "bells": [{"id": "one"}], "plain": ["x"]});
        let applied = json!({"marks": [], "bells": [], "plain": []});
        let expected = json!({"marks": ["a", "b"], "bells": [{"id": "one"}], "plain": []});
        assert_eq!(merged(&live, &applied, shape), expected);
        let owned = Fields::applied(&applied, shape).write();
        assert_eq!(owned, json!({"f:plain": {}}));
    }
}
