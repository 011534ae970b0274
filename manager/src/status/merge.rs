//! Three-way merge of a status: applies the changes of a reconcile to the newest status.
//!
//! Three states are compared as JSON: the status that the reconcile saw, the status that it set,
//! and the current status. Values that the reconcile did not change stay as they are. The only
//! lists that are merged are conditions, by their `type`; any other list is one value.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The name of the list that is merged: conditions like `metav1.Condition`.
const CONDITIONS: &str = "conditions";

/// The path of a field that both the reconcile and another writer changed, to different values:
/// `status.a.b`, `status.conditions[Ready]`.
#[derive(Debug, PartialEq)]
pub(crate) struct Clash(pub String);

/// Removes `null`s, which in a status mean the same as absent fields.
pub(crate) fn without_nulls(mut value: Value) -> Value {
    let clean = |value: &mut Value| *value = without_nulls(value.take());
    if let Value::Object(map) = &mut value {
        map.retain(|_, value| !value.is_null());
        map.values_mut().for_each(clean);
    } else if let Value::Array(items) = &mut value {
        items.iter_mut().for_each(clean);
    }
    value
}

/// Applies the changes from `before`, the status that the reconcile saw, to `after`, the status
/// that it set, to `now`, the current status. `null` stands for an absent status.
///
/// # Errors
/// Returns the first field that both sides changed to different values.
pub(crate) fn merged(before: &Value, after: &Value, now: &Value) -> Result<Value, Clash> {
    merged_at("status", before, after, now)
}

fn merged_at(path: &str, before: &Value, after: &Value, now: &Value) -> Result<Value, Clash> {
    if before == after {
        return Ok(now.clone());
    }
    if now == before || now == after {
        return Ok(after.clone());
    }
    if let [Some(before), Some(after), Some(now)] = [before, after, now].map(fields) {
        return merged_fields(path, &before, &after, &now);
    }
    let is_conditions = path.ends_with(&format!(".{CONDITIONS}"));
    if let [Some(before), Some(after), Some(now)] = [before, after, now].map(items)
        && is_conditions
    {
        return merged_items(path, &before, &after, &now);
    }
    Err(Clash(path.to_owned()))
}

fn merged_fields(
    path: &str,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    now: &Map<String, Value>,
) -> Result<Value, Clash> {
    let mut merged = Map::new();
    let names: BTreeSet<_> = now
        .keys()
        .chain(before.keys())
        .chain(after.keys())
        .collect();
    for name in names {
        let of = |map: &Map<String, Value>| map.get(name).cloned().unwrap_or_default();
        let value = merged_at(&format!("{path}.{name}"), &of(before), &of(after), &of(now))?;
        if !value.is_null() {
            merged.insert(name.clone(), value);
        }
    }
    Ok(Value::Object(merged))
}

/// Merges conditions by `type`. Keeps the current order; new conditions follow.
fn merged_items(path: &str, before: &Items, after: &Items, now: &Items) -> Result<Value, Clash> {
    let mut merged = Vec::new();
    let new = after.iter().filter(|(type_, _)| find(now, type_).is_null());
    for (type_, _) in now.iter().chain(new) {
        let [before, after, now] = [before, after, now].map(|items| find(items, type_));
        if before != after && now != before && now != after {
            return Err(Clash(format!("{path}[{type_}]")));
        }
        let item = if before == after { now } else { after };
        if !item.is_null() {
            merged.push(item.clone());
        }
    }
    Ok(Value::Array(merged))
}

/// Returns a JSON merge patch from `now` to `merged`, `{}` if they are equal. Each field of the
/// status that differs is sent completely, and not only the values in it that differ: some values
/// may exist only in the Rust type, such as defaults, and the CRD may require them.
pub(crate) fn patch(now: &Value, merged: &Value) -> Value {
    let (Some(now), Some(merged)) = (fields(now), fields(merged)) else {
        return merged.clone();
    };
    let gone = now.keys().filter(|name| !merged.contains_key(*name));
    let gone = gone.map(|name| (name.clone(), Value::Null));
    let changed = merged
        .iter()
        .filter(|(name, value)| now.get(*name) != Some(value));
    let changed = changed.map(|(name, value)| {
        let before = now.get(name).unwrap_or(&Value::Null);
        (name.clone(), whole(before, value))
    });
    Value::Object(gone.chain(changed).collect())
}

/// Returns all of `merged`, with `null` for removed fields.
fn whole(now: &Value, merged: &Value) -> Value {
    let (Value::Object(now), Value::Object(merged)) = (now, merged) else {
        return merged.clone();
    };
    let gone = now.keys().filter(|name| !merged.contains_key(*name));
    let gone = gone.map(|name| (name.clone(), Value::Null));
    let stays = merged.iter().map(|(name, value)| {
        let before = now.get(name).unwrap_or(&Value::Null);
        (name.clone(), whole(before, value))
    });
    Value::Object(gone.chain(stays).collect())
}

/// Returns the fields of an object, none for `null`, and `None` for any other value.
fn fields(value: &Value) -> Option<Cow<'_, Map<String, Value>>> {
    match value {
        Value::Object(map) => Some(Cow::Borrowed(map)),
        Value::Null => Some(Cow::default()),
        _ => None,
    }
}

/// Conditions with their types.
type Items<'a> = Vec<(&'a str, &'a Value)>;

/// Returns the conditions in a list, none for `null`. Returns `None` if the value is not a list of
/// conditions, or if two have the same type.
fn items(value: &Value) -> Option<Items<'_>> {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        Value::Null => &[],
        _ => return None,
    };
    let typed = items
        .iter()
        .map(|item| Some((item["type"].as_str()?, item)));
    let typed: Items<'_> = typed.collect::<Option<_>>()?;
    let distinct: BTreeSet<_> = typed.iter().map(|(type_, _)| type_).collect();
    (distinct.len() == typed.len()).then_some(typed)
}

/// Returns the condition of a type, or `null`.
fn find<'a>(items: &Items<'a>, type_: &str) -> &'a Value {
    let found = items.iter().find(|(name, _)| *name == type_);
    found.map_or(&Value::Null, |(_, item)| item)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn condition(type_: &str, status: &str) -> Value {
        json!({"type": type_, "status": status})
    }

    #[test]
    fn unchanged_fields_keep_their_current_value() {
        let before = json!({"a": 1, "b": 1, "c": {"d": 1, "e": 1}, "gone": 1});
        let after = json!({"a": 2, "b": 1, "c": {"d": 2, "e": 1}, "gone": 1});
        let now = json!({"a": 1, "b": 3, "c": {"d": 1, "e": 3}, "new": 3});
        let merged = merged(&before, &after, &now).unwrap();
        assert_eq!(
            merged,
            json!({"a": 2, "b": 3, "c": {"d": 2, "e": 3}, "new": 3})
        );
        let wanted = json!({"a": 2, "c": {"d": 2, "e": 3}});
        assert_eq!(patch(&now, &merged), wanted, "others' fields are not sent");
    }

    #[test]
    fn removed_fields_are_the_only_ones_removed() {
        let before = json!({"a": 1, "b": {"c": 1, "d": 1}, "e": {"f": 1}});
        let after = json!({"b": {"d": 1}});
        let now = json!({"a": 1, "b": {"c": 1, "d": 1}, "e": {"f": 1}, "g": 1});
        let merged = merged(&before, &after, &now).unwrap();
        assert_eq!(merged, json!({"b": {"d": 1}, "g": 1}));
        let wanted = json!({"a": null, "b": {"c": null, "d": 1}, "e": null});
        assert_eq!(patch(&now, &merged), wanted);
    }

    #[test]
    fn fields_changed_to_different_values_clash() {
        let clash = |before, after, now| merged(&before, &after, &now);
        let path = |path: &str| Err(Clash(path.to_owned()));
        assert_eq!(
            clash(
                json!({"a": {"b": 1}}),
                json!({"a": {"b": 2}}),
                json!({"a": {"b": 3}})
            ),
            path("status.a.b")
        );
        assert_eq!(
            clash(json!({"a": 1}), json!({}), json!({"a": 3})),
            path("status.a")
        );
        assert_eq!(
            clash(json!({}), json!({"a": 1}), json!({"a": 3})),
            path("status.a")
        );
        assert_eq!(
            clash(
                json!({"l": ["a"]}),
                json!({"l": ["a", "b"]}),
                json!({"l": ["c"]})
            ),
            path("status.l"),
            "a list is one value"
        );
        let same = json!({"a": 2});
        assert_eq!(clash(json!({"a": 1}), same.clone(), same.clone()), Ok(same));
    }

    #[test]
    fn conditions_are_merged_by_their_type() {
        let list = |items: &[Value]| json!({"conditions": items});
        let (ours, theirs) = (condition("Ours", "True"), condition("Theirs", "True"));
        let before = list(&[condition("Ours", "False"), condition("Old", "True")]);
        let after = list(&[ours.clone(), condition("New", "True")]);
        let now = list(&[
            theirs.clone(),
            condition("Ours", "False"),
            condition("Old", "True"),
        ]);
        let wanted = list(&[theirs.clone(), ours.clone(), condition("New", "True")]);
        assert_eq!(merged(&before, &after, &now).unwrap(), wanted);
        // Merge into a status without conditions.
        let alone = list(std::slice::from_ref(&ours));
        let first = merged(&json!({}), &alone, &list(std::slice::from_ref(&theirs)));
        assert_eq!(first.unwrap(), list(&[theirs, ours]));
        // Both changed the same condition.
        let now = list(&[condition("Ours", "Unknown")]);
        let clash = merged(&before, &alone, &now).unwrap_err();
        assert_eq!(clash.0, "status.conditions[Ours]");
    }

    #[test]
    fn conditions_with_duplicate_types_are_one_value() {
        let twice = json!({"conditions": [condition("A", "True"), condition("A", "False")]});
        let now = json!({"conditions": [condition("A", "Unknown")]});
        let clash = merged(&json!({}), &twice, &now).unwrap_err();
        assert_eq!(clash.0, "status.conditions");
    }

    #[test]
    fn changed_fields_are_sent_completely() {
        let now = json!({"storage": {"class": "", "size": 0}, "b": 1});
        let merged = json!({"storage": {"class": "", "size": 5}, "b": 1});
        assert_eq!(
            patch(&now, &merged),
            json!({"storage": {"class": "", "size": 5}})
        );
    }

    #[test]
    fn nulls_are_removed_from_objects() {
        let value = json!({"a": null, "b": {"c": null}, "d": [{"e": null}, null]});
        assert_eq!(without_nulls(value), json!({"b": {}, "d": [{}, null]}));
    }
}
