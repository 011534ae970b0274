//! How the lists and maps of Kubernetes' own types are merged. Their Rust types do not carry it, so that a
//! `PodTemplateSpec` in a CRD would be merged otherwise than the one in a Deployment: a list of containers
//! would be replaced whole by whoever applies one of them.
//!
//! A type is recognised by a property and how its description begins, which a comment on the user's own
//! field does not touch. The facts are those of Kubernetes' `OpenAPI` document.

mod known;

use serde_json::{Map, Value, json};

use super::check::can_be_merged;
use super::keywords::LIST_KEYS;
use known::{KNOWN, is};

/// The telltale of a `Condition`.
const CONDITION: (&str, &str) = (
    "reason",
    "reason contains a programmatic identifier indicating the reason for the condition's",
);

/// Whether the Rust type behind a place of a version is Kubernetes' own, by the names of the fields on the way
/// there; none where the types are not known.
pub type Foreign<'a> = &'a dyn Fn(&str, &[String]) -> Option<bool>;

/// Puts back how lists and maps are merged, wherever a CRD has a type of Kubernetes' own. Who writes such a type
/// himself also says how it is merged, and what he leaves out is left out.
pub fn restore(crd: &mut Value, foreign: Foreign) {
    let kind = crd["spec"]["names"]["kind"].clone();
    let versions = crd.pointer_mut("/spec/versions");
    for version in versions.and_then(Value::as_array_mut).into_iter().flatten() {
        let name = version["name"].as_str().unwrap_or_default().to_owned();
        let Some(root) = version.pointer_mut("/schema/openAPIV3Schema") else {
            continue;
        };
        // What kube's derive makes is called after the kind, and nothing else is.
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
    if is_recognised(schema) && is_foreign(fields) {
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

fn is_recognised(schema: &Map<String, Value>) -> bool {
    of_conditions(schema) || KNOWN.iter().any(|known| known.is(schema))
}

/// Says of one schema how it is merged, where it is of a type of Kubernetes' and does not say so itself.
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

/// Whether a schema is that of one of Kubernetes' types, whose fields are not the user's to change.
pub fn is_kubernetes(schema: &Map<String, Value>) -> bool {
    is(schema, CONDITION) || KNOWN.iter().any(|known| known.is(schema))
}

/// Whether a schema is a list of conditions.
pub fn of_conditions(schema: &Map<String, Value>) -> bool {
    let items = schema.get("items").and_then(Value::as_object);
    items.is_some_and(|items| is(items, CONDITION))
}

/// Has a list merged by keys, if the API server would take that: of a copy, items may have lost their keys.
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
    // The one key of them all that may be missing.
    if let Some(protocol) = merged
        .get_mut("items")
        .and_then(|items| items.pointer_mut("/properties/protocol"))
        && keys.contains(&"protocol")
    {
        protocol["default"] = json!("TCP");
    }
    if can_be_merged(&merged) {
        *list = merged;
    }
}

#[cfg(test)]
mod tests;
