//! The CRDs of `changes.yaml`. They are used by the test of rustop's findings and by the test
//! against a real API server.

use serde_json::{Map, Value, json};

/// Returns the cases of the table.
pub fn table() -> Vec<Value> {
    serde_yaml::from_str(include_str!("changes.yaml")).unwrap()
}

/// Returns the rules of a case, sorted.
pub fn rules(case: &Value) -> Vec<String> {
    let rules = case["rules"].as_array().into_iter().flatten();
    let mut rules: Vec<_> = rules
        .map(|rule| rule.as_str().unwrap().to_owned())
        .collect();
    rules.sort();
    rules
}

/// Returns the outcome of a case for the stored object and for clients that write the same object
/// again.
pub fn outcome(case: &Value) -> &str {
    case["outcome"].as_str().unwrap_or("fine")
}

/// Returns the old CRD of a case.
pub fn old(number: usize, case: &Value) -> Value {
    crd(number, case, &case["old"])
}

/// Returns the new CRD of a case.
pub fn new(number: usize, case: &Value) -> Value {
    crd(number, case, &case["new"])
}

/// Returns the object that is stored under the old CRD.
pub fn object(number: usize, case: &Value, name: &str) -> Value {
    let mut object = json!({
        "apiVersion": "my.domain/v1", "kind": format!("Case{number}"),
        "metadata": { "name": name, "namespace": "default" },
        "spec": case.get("spec").cloned().unwrap_or_else(|| json!({})),
    });
    if let Some(status) = case.get("status") {
        object["status"] = status.clone();
    }
    object
}

fn crd(number: usize, case: &Value, side: &Value) -> Value {
    let fields = |key: &str| {
        side.get(key)
            .cloned()
            .unwrap_or_else(|| Value::Object(Map::new()))
    };
    let mut spec = json!({ "type": "object", "properties": fields("fields") });
    merge(&mut spec, &side["spec"]);
    let status = json!({ "type": "object", "properties": fields("status") });
    let mut schema = json!({ "type": "object", "properties": { "spec": spec, "status": status } });
    merge(&mut schema, &side["schema"]);
    let mut version = json!({
        "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
        "schema": { "openAPIV3Schema": schema },
    });
    merge(&mut version, &side["version"]);
    let mut versions = vec![version.clone()];
    for more in side["versions"].as_array().into_iter().flatten() {
        let mut other = version.clone();
        other["storage"] = false.into();
        merge(&mut other, more);
        versions.push(other);
    }
    let mut spec = json!({
        "group": "my.domain", "scope": "Namespaced", "versions": versions,
        "names": { "kind": format!("Case{number}"), "plural": format!("case{number}s"), "singular": format!("case{number}") },
    });
    merge(&mut spec, &case["crd"]);
    merge(&mut spec["names"], &side["names"]);
    merge(&mut spec, &side["crd"]);
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("case{number}s.my.domain") }, "spec": spec,
    })
}

fn merge(into: &mut Value, from: &Value) {
    for (key, value) in from.as_object().into_iter().flatten() {
        into[key] = value.clone();
    }
}
