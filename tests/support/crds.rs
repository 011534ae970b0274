//! CRDs as the API server gives them back.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

/// The CRDs in the files of a project.
pub fn written(project: &Path) -> Vec<Value> {
    let entries = fs::read_dir(project.join("config/crd/bases")).unwrap();
    let texts = entries.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let crds: Vec<_> = texts
        .map(|text| serde_yaml::from_str(&text).unwrap())
        .collect();
    assert!(!crds.is_empty(), "{} has no CRDs", project.display());
    crds
}

/// The name of an object.
pub fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap()
}

/// Asserts that a CRD is stored as it was written, apart from the defaults of the API server.
pub fn assert_came_back(written: &Value, read: &Value) {
    let mut different = Vec::new();
    compare(&written["spec"], &read["spec"], ".spec", &mut different);
    let version = "rustop.dev/version";
    let annotation = |crd: &Value| crd["metadata"]["annotations"][version].clone();
    compare(
        &annotation(written),
        &annotation(read),
        version,
        &mut different,
    );
    let kind = written["spec"]["names"]["kind"].as_str().unwrap();
    let defaults = [
        (".spec.conversion", json!({ "strategy": "None" })),
        (
            ".spec.conversion.webhook.clientConfig.service.port",
            json!(443),
        ),
        (".spec.names.listKind", json!(format!("{kind}List"))),
    ];
    different.retain(|(path, written, read)| {
        let is_default = defaults
            .iter()
            .any(|default| (default.0, &default.1) == (path.as_str(), read));
        // A flag that is off is the same as none.
        let is_off = *written == json!(false) && read.is_null();
        !is_default && !is_off
    });
    assert!(different.is_empty(), "{}: {different:#?}", name(written));
}

/// Adds the differences of two values: the path, the written and the stored value, which are null
/// if missing.
fn compare(written: &Value, read: &Value, path: &str, different: &mut Vec<(String, Value, Value)>) {
    match (written, read) {
        (Value::Object(written), Value::Object(read)) => {
            let keys: BTreeSet<_> = written.keys().chain(read.keys()).collect();
            for key in keys {
                let at = |object: &Map<String, Value>| object.get(key).cloned().unwrap_or_default();
                compare(&at(written), &at(read), &format!("{path}.{key}"), different);
            }
        }
        (Value::Array(written), Value::Array(read)) if written.len() == read.len() => {
            for (n, (written, read)) in written.iter().zip(read).enumerate() {
                compare(written, read, &format!("{path}[{n}]"), different);
            }
        }
        (written, read) if written == read => {}
        // 1.0 is 1.
        (Value::Number(written), Value::Number(read)) if written.as_f64() == read.as_f64() => {}
        (written, read) => different.push((path.to_owned(), written.clone(), read.clone())),
    }
}
