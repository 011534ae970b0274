//! Comparison of two sets of objects, field by field.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The labels that name the tool and the application of an object, which Helm and kustomize set
/// differently.
const MADE_BY: [&str; 4] = [
    "app.kubernetes.io/instance",
    "app.kubernetes.io/managed-by",
    "app.kubernetes.io/version",
    "helm.sh/chart",
];

/// The annotation that makes Helm keep a CRD.
const KEEP: &str = "helm.sh/resource-policy";

/// Lists in which the order has no meaning, since the API server takes them for maps by `name`.
const BY_NAME: [&str; 2] = ["env", "ports"];

/// Returns the differences of two sets of objects, except for the Namespace, which must exist
/// before Helm runs.
pub fn differences(kustomize: &[Value], helm: &[Value]) -> Vec<String> {
    let [left, right] = [kustomize, helm].map(by_name);
    let mut found = Vec::new();
    let names = left
        .keys()
        .chain(right.keys().filter(|name| !left.contains_key(*name)));
    for name in names {
        compare(name, left.get(name), right.get(name), &mut found);
    }
    found
}

fn by_name(objects: &[Value]) -> BTreeMap<String, Value> {
    let objects = objects
        .iter()
        .filter(|object| object["kind"] != "Namespace");
    let named = objects.map(|object| {
        let mut object = object.clone();
        let metadata = object["metadata"].as_object_mut().unwrap();
        without(metadata, "labels", &MADE_BY);
        without(metadata, "annotations", &[KEEP]);
        // kustomize knows admission policies by no scope and gives them a namespace, which the API
        // server drops.
        if object["kind"]
            .as_str()
            .is_some_and(|kind| kind.starts_with("ValidatingAdmissionPolicy"))
        {
            object["metadata"]
                .as_object_mut()
                .unwrap()
                .remove("namespace");
        }
        let name = format!(
            "{} {} {}/{}",
            object["apiVersion"],
            object["kind"],
            object["metadata"]["namespace"],
            object["metadata"]["name"]
        );
        (name.replace('"', ""), object)
    });
    let count = named.clone().count();
    let all: BTreeMap<_, _> = named.collect();
    assert_eq!(all.len(), count, "two objects of one name");
    all
}

fn without(metadata: &mut Map<String, Value>, field: &str, keys: &[&str]) {
    let Some(map) = metadata.get_mut(field).and_then(Value::as_object_mut) else {
        return;
    };
    map.retain(|key, _| !keys.contains(&key.as_str()));
    if map.is_empty() {
        metadata.remove(field);
    }
}

fn compare(place: &str, left: Option<&Value>, right: Option<&Value>, found: &mut Vec<String>) {
    match (left, right) {
        (Some(Value::Object(left)), Some(Value::Object(right))) => {
            let keys = left
                .keys()
                .chain(right.keys().filter(|key| !left.contains_key(*key)));
            for key in keys {
                compare(
                    &format!("{place}.{key}"),
                    left.get(key),
                    right.get(key),
                    found,
                );
            }
        }
        (Some(Value::Array(left)), Some(Value::Array(right))) if left.len() == right.len() => {
            let is_map = BY_NAME
                .iter()
                .any(|field| place.ends_with(&format!(".{field}")));
            let [left, right] = [left, right].map(|items| {
                let mut items: Vec<_> = items.iter().collect();
                if is_map {
                    items.sort_by_key(|item| item["name"].to_string());
                }
                items
            });
            for (at, (left, right)) in left.into_iter().zip(right).enumerate() {
                compare(&format!("{place}[{at}]"), Some(left), Some(right), found);
            }
        }
        (left, right) if left != right => {
            let text = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
            found.push(format!("{place}: {} and {}", text(left), text(right)));
        }
        _ => {}
    }
}

#[test]
fn what_differs_is_found() {
    let object = |text: &str| vec![serde_yaml::from_str::<Value>(text).unwrap()];
    let one = object(
        "{apiVersion: v1, kind: A, metadata: {name: a, labels: {helm.sh/chart: x}}, env: [{name: b}, {name: a}]}",
    );
    let same =
        object("{apiVersion: v1, kind: A, metadata: {name: a}, env: [{name: a}, {name: b}]}");
    assert_eq!(differences(&one, &same), Vec::<String>::new());
    for other in [
        "{apiVersion: v1, kind: A, metadata: {name: b}, env: [{name: a}, {name: b}]}",
        "{apiVersion: v1, kind: A, metadata: {name: a}, env: [{name: a}]}",
        "{apiVersion: v1, kind: A, metadata: {name: a}, env: [{name: a}, {name: c}]}",
        "{apiVersion: v1, kind: A, metadata: {name: a}, env: [{name: a}, {name: b}], more: 1}",
    ] {
        assert!(!differences(&one, &object(other)).is_empty(), "{other}");
    }
}
