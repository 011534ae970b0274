//! The CRDs of `schemas.yaml`, `rules.yaml` and `expressions.yaml`. They are used by the test of
//! rustop's findings and by the test against a real API server.

use serde_json::{Value, json};

/// Returns the cases of all tables.
pub fn table() -> Vec<Value> {
    let tables = [include_str!("schemas.yaml"), include_str!("rules.yaml")];
    let tables = tables.map(|table| -> Vec<Value> { serde_yaml::from_str(table).unwrap() });
    let mut cases = tables.concat();
    cases.extend(expressions());
    cases
}

/// Returns one case for each rule in `expressions.yaml`.
fn expressions() -> Vec<Value> {
    let table: Value = serde_yaml::from_str(include_str!("expressions.yaml")).unwrap();
    let cases = ["taken", "refused"].map(|verdict| {
        let rules = table[verdict].as_array().unwrap().iter();
        let case = rules.map(|rule| {
            let spec = json!({
                "type": "object", "properties": table["fields"],
                "x-kubernetes-validations": [{ "rule": rule }],
            });
            let mut case = json!({ "name": rule, "spec": spec });
            if verdict != "taken" {
                case["refused"] = json!("");
            }
            case
        });
        case.collect::<Vec<_>>()
    });
    cases.concat()
}

/// Returns the CRD of a case, named after its number.
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
