//! What the API server says of the table of schemas, of which `rustop`'s own verdict is a unit test.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use crate::support::Sandbox;

/// `src/manifests/testdata/schemas.yaml`.
fn table() -> Vec<Value> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/manifests/testdata/schemas.yaml"
    );
    serde_yaml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn the_api_server_takes_and_refuses_what_the_table_says() {
    let sandbox = Sandbox::new();
    sandbox.ok("cluster start --no-controllers");
    let table = table();
    let crds: Vec<_> = table
        .iter()
        .enumerate()
        .map(|(n, case)| crd(n, case).to_string())
        .collect();
    let file = sandbox.path().join("crds.yaml");
    fs::write(&file, crds.join("\n---\n")).unwrap();
    let line = format!(
        "create --dry-run=server --validate=strict -o name -f {}",
        file.display()
    );
    let ran = sandbox.kubectl("default", &line);
    let taken: BTreeSet<_> = ran
        .stdout
        .lines()
        .filter_map(|line| line.split('/').nth(1))
        .collect();
    let mut wrong = String::new();
    for (n, case) in table.iter().enumerate() {
        let name = name(n);
        let is_taken = taken.contains(name.as_str());
        if is_taken == case.get("refused").is_some() {
            let said: Vec<_> = ran
                .stderr
                .lines()
                .filter(|line| line.contains(&name))
                .collect();
            writeln!(
                wrong,
                "{}: {} {said:?}",
                case["name"],
                if is_taken { "taken" } else { "refused" }
            )
            .unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn name(n: usize) -> String {
    format!("case{n}s.my.domain")
}

fn crd(n: usize, case: &Value) -> Value {
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
        "names": { "kind": format!("Case{n}"), "plural": format!("case{n}s"), "singular": format!("case{n}") },
    });
    merge(&mut spec, &case["crd"]);
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": name(n) }, "spec": spec,
    })
}

fn merge(into: &mut Value, from: &Value) {
    for (key, value) in from.as_object().into_iter().flatten() {
        into[key] = value.clone();
    }
}
