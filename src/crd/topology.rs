//! Merge strategies of lists and maps in Kubernetes' own types. Their Rust types lack them, so a
//! `PodTemplateSpec` in a CRD would merge differently than in a Deployment: a manager that applies
//! one container would replace the whole list.
//!
//! A type is recognized by one of its properties and the beginning of that property's description.
//! A comment on the user's field does not change that description. The data comes from Kubernetes'
//! `OpenAPI` document.

mod known;

use serde_json::{Map, Value, json};

use super::check::has_valid_list_type;
use super::keywords::LIST_KEYS;
use known::{KNOWN, is};

/// The property that identifies a `Condition`.
const CONDITION: (&str, &str) = (
    "reason",
    "reason contains a programmatic identifier indicating the reason for the condition's",
);

/// A function that returns true if the Rust type at a place is one of Kubernetes' own, and `None`
/// if the type is not known. Its arguments are the version and the names of the fields in the path
/// of the place.
pub type Foreign<'a> = &'a dyn Fn(&str, &[String]) -> Option<bool>;

/// Restores the merge strategies of lists and maps wherever a CRD uses one of Kubernetes' own
/// types. Does not change copies of such types in the user's code, which declare their own merge
/// strategies.
pub fn restore(crd: &mut Value, foreign: Foreign) {
    let kind = crd["spec"]["names"]["kind"].clone();
    let versions = crd.pointer_mut("/spec/versions");
    for version in versions.and_then(Value::as_array_mut).into_iter().flatten() {
        let name = version["name"].as_str().unwrap_or_default().to_owned();
        let Some(root) = version.pointer_mut("/schema/openAPIV3Schema") else {
            continue;
        };
        // kube's derive sets the title to the kind; nothing else does.
        let is_derived = root["title"] == kind;
        let is_foreign = |fields: &[String]| foreign(&name, fields).unwrap_or(is_derived);
        restore_inside(root, &mut Vec::new(), &is_foreign);
    }
}

fn restore_inside(
    schema: &mut Value,
    fields: &mut Vec<String>,
    is_foreign: &dyn Fn(&[String]) -> bool,
) {
    let Value::Object(schema) = schema else {
        return;
    };
    if is_recognized(schema) && is_foreign(fields) {
        restore_one(schema);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get_mut(keyword) {
            restore_inside(inner, fields, is_foreign);
        }
    }
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, inner) in properties.into_iter().flatten() {
        fields.push(name.clone());
        restore_inside(inner, fields, is_foreign);
        fields.pop();
    }
}

/// Reports whether the merge strategy of a schema is known: it is one of Kubernetes' types, or a
/// list of conditions.
fn is_recognized(schema: &Map<String, Value>) -> bool {
    of_conditions(schema) || KNOWN.iter().any(|known| known.is(schema))
}

/// Sets the merge strategies in one schema if it has a type of Kubernetes and does not set them
/// itself.
fn restore_one(schema: &mut Map<String, Value>) {
    if of_conditions(schema) {
        merge_by(schema, &["type"]);
    }
    let known: Vec<_> = KNOWN.iter().filter(|known| known.is(schema)).collect();
    for known in known {
        if known.atomic && schema.get("type").is_some_and(|kind| kind == "object") {
            schema
                .entry("x-kubernetes-map-type")
                .or_insert_with(|| json!("atomic"));
        }
        for (list, keys) in known.lists {
            let list = schema
                .get_mut("properties")
                .and_then(|fields| fields.get_mut(*list)?.as_object_mut());
            if let Some(list) = list {
                merge_by(list, keys);
            }
        }
    }
}

/// Returns true if a schema belongs to one of Kubernetes' types, whose fields the user cannot
/// change.
pub fn is_kubernetes(schema: &Map<String, Value>) -> bool {
    is(schema, CONDITION) || KNOWN.iter().any(|known| known.is(schema))
}

/// Returns true if a schema is a list of conditions.
pub fn of_conditions(schema: &Map<String, Value>) -> bool {
    let items = schema.get("items").and_then(Value::as_object);
    items.is_some_and(|items| is(items, CONDITION))
}

/// Makes a list mergeable by keys if the API server accepts that: the items of a copied type may
/// lack the keys.
fn merge_by(list: &mut Map<String, Value>, keys: &[&str]) {
    if list.contains_key("x-kubernetes-list-type") {
        return;
    }
    let mut merged = list.clone();
    let how = if keys.is_empty() { "set" } else { "map" };
    merged.insert("x-kubernetes-list-type".into(), json!(how));
    if !keys.is_empty() {
        merged.insert(LIST_KEYS.into(), json!(keys));
    }
    // `protocol` is the only key that may be missing, so it needs a default.
    if let Some(protocol) = merged
        .get_mut("items")
        .and_then(|items| items.pointer_mut("/properties/protocol"))
        && keys.contains(&"protocol")
    {
        protocol["default"] = json!("TCP");
    }
    if has_valid_list_type(&merged) {
        *list = merged;
    }
}

#[cfg(test)]
mod tests;
