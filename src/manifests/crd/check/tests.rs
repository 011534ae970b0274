//! The table of schemas: what rustop says of each. That the API server says the same is asked of a real one
//! in `tests/cluster/schemas.rs`.

use serde_json::{Value, json};

use super::super::read;

#[test]
fn the_verdict_on_every_schema_of_the_table_is_the_one_given() {
    let table: Vec<Value> =
        serde_yaml::from_str(include_str!("../../testdata/schemas.yaml")).unwrap();
    let mut wrong = Vec::new();
    for case in &table {
        let crds = read(
            &json!([crd(case)]).to_string(),
            &std::collections::BTreeSet::new(),
        )
        .unwrap();
        let found: Vec<_> = crds[0]
            .refused()
            .into_iter()
            .filter(|found| found.lint.is_none())
            .map(|found| found.message)
            .collect();
        let expected = case["refused"].as_str();
        let right = match expected {
            None => found.is_empty(),
            Some(part) => found.iter().any(|message| message.contains(part)),
        };
        if !right {
            wrong.push(format!(
                "{}: expected {expected:?}, found {found:#?}",
                case["name"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The CRD of a case.
fn crd(case: &Value) -> Value {
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
        "names": { "kind": "Case", "plural": "cases", "singular": "case" },
    });
    merge(&mut spec, &case["crd"]);
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "cases.my.domain" }, "spec": spec,
    })
}

fn merge(into: &mut Value, from: &Value) {
    for (key, value) in from.as_object().into_iter().flatten() {
        into[key] = value.clone();
    }
}
