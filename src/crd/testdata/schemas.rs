//! The CRDs of `schemas.yaml`, for the test of rustop's verdict on them and for that of the API server's.

use serde_json::{Value, json};

/// The cases of the table.
pub fn table() -> Vec<Value> {
    serde_yaml::from_str(include_str!("schemas.yaml")).unwrap()
}

/// The CRD of the case with that number.
pub fn crd(number: usize, case: &Value) -> Value {
    let spec = case
        .get("spec")
        .cloned()
        .unwrap_or_else(|| json!({ "type": "object", "properties": { "field": case["field"] } }));
    let schema = case
        .get("schema")
        .cloned()
        .unwrap_or_else(|| json!({ "type": "object", "properties": { "spec": spec } }));
    let mut version = json!({ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } });
    merge(&mut version, &case["version"]);
    let mut spec = json!({
        "group": "my.domain", "scope": "Namespaced", "versions": [version],
        "names": { "kind": format!("Case{number}"), "plural": format!("case{number}s"), "singular": format!("case{number}") },
    });
    merge(&mut spec, &case["crd"]);
    let group = spec["group"].as_str().unwrap_or_default();
    let mut metadata = json!({ "name": format!("case{number}s.{group}") });
    merge(&mut metadata, &case["metadata"]);
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": metadata, "spec": spec,
    })
}

fn merge(into: &mut Value, from: &Value) {
    for (key, value) in from.as_object().into_iter().flatten() {
        into[key] = value.clone();
    }
}
