//! Strategic merge patches, limited to the features that patches of a Deployment need.

use serde_json::Value;

use super::config::{items, text};

/// The merge keys of lists. An item is identified by the first of these fields that it has.
const KEYS: [&str; 3] = ["mountPath", "containerPort", "name"];

/// Returns the patches of a kustomization for Deployments, and the number of those that are not
/// supported here: patches in files, and JSON patches (RFC 6902).
pub fn of(kustomization: &Value) -> (Vec<Value>, usize) {
    let all = items(kustomization, "/patches").iter();
    let of_deployment = |patch: &&Value| matches!(text(patch, "/target/kind"), "" | "Deployment");
    let all: Vec<_> = all.filter(of_deployment).collect();
    let inline = all.iter().filter_map(|patch| {
        let patch: Value = serde_yaml::from_str(patch.get("patch")?.as_str()?).ok()?;
        patch.is_object().then_some(patch)
    });
    let inline: Vec<_> = inline.collect();
    let left = all.len() - inline.len();
    let meant = inline
        .into_iter()
        .filter(|patch| patch["kind"] == "Deployment");
    (meant.collect(), left)
}

/// Applies a patch to a value. A null removes its field, objects in lists are merged by [`KEYS`],
/// and an item with `$patch: delete` removes the one with its key. Other values replace the old
/// ones.
pub fn apply(value: &mut Value, patch: &Value) {
    match (value, patch) {
        (Value::Object(map), Value::Object(changes)) => {
            for (field, change) in changes {
                if change.is_null() {
                    map.remove(field);
                } else {
                    apply(map.entry(field.clone()).or_insert(Value::Null), change);
                }
            }
        }
        (Value::Array(list), Value::Array(changes)) if changes.iter().all(Value::is_object) => {
            for change in changes {
                apply_item(list, change);
            }
        }
        (value, patch) => *value = patch.clone(),
    }
}

fn apply_item(list: &mut Vec<Value>, change: &Value) {
    let key = KEYS.into_iter().find(|key| change.get(key).is_some());
    let same = |item: &Value| key.is_some_and(|key| item.get(key) == change.get(key));
    let at = list.iter().position(same);
    match (at, change["$patch"] == "delete") {
        (Some(at), true) => {
            list.remove(at);
        }
        (Some(at), false) => apply(&mut list[at], change),
        (None, true) => {}
        (None, false) => list.push(change.clone()),
    }
}
