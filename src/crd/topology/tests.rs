//! Tests the table of types against Kubernetes' own `OpenAPI` document.

use super::*;

fn kubernetes() -> Map<String, Value> {
    let text = include_str!("../testdata/topology.json");
    serde_json::from_str(text).unwrap()
}

/// Removes the keywords that the Rust types lack.
fn stripped(schema: &Value) -> Value {
    let mut schema = schema.clone();
    let drop = |schema: &mut Map<String, Value>| schema.retain(|key, _| !key.starts_with("x-"));
    drop(schema.as_object_mut().unwrap());
    for field in schema["properties"].as_object_mut().into_iter().flatten() {
        drop(field.1.as_object_mut().unwrap());
    }
    schema
}

/// Returns the merge strategies of a schema and its fields.
fn said(schema: &Value) -> Vec<(String, Value)> {
    let whole = String::new();
    let fields = schema["properties"].as_object().into_iter().flatten();
    let all = fields.chain([(&whole, schema)]).map(|(name, schema)| {
        let keywords = schema.as_object().unwrap().iter();
        let how = keywords.filter(|(key, _)| key.starts_with("x-"));
        let how: Map<_, _> = how
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        (name.clone(), Value::Object(how))
    });
    all.collect()
}

#[test]
fn merge_strategies_of_kubernetes_types_are_restored() {
    for (name, expected) in kubernetes() {
        let mut schema = stripped(&expected);
        restore_one(schema.as_object_mut().unwrap());
        let of_status = name == "PersistentVolumeClaimStatus";
        if !of_status {
            assert_eq!(said(&schema), said(&expected), "{name}");
        }
    }
}

fn conditions() -> Value {
    json!({ "type": "array", "items": {
        "type": "object", "required": ["type"],
        "properties": { "reason": { "description": CONDITION.1 }, "type": { "type": "string" } },
    } })
}

#[test]
fn a_list_of_conditions_is_merged_by_type_unless_it_says_how() {
    let mut plain = conditions();
    restore_one(plain.as_object_mut().unwrap());
    assert_eq!(plain["x-kubernetes-list-type"], "map");
    assert_eq!(plain["x-kubernetes-list-map-keys"], json!(["type"]));
    let mut said = conditions();
    said["x-kubernetes-list-type"] = json!("atomic");
    restore_one(said.as_object_mut().unwrap());
    assert_eq!(said["x-kubernetes-list-type"], "atomic");
    assert!(said.get("x-kubernetes-list-map-keys").is_none());
}

#[test]
fn copies_without_merge_keys_stay_unchanged() {
    let optional = json!({ "type": "object", "properties": { "type": { "type": "string" },
        "reason": { "description": CONDITION.1 } } });
    let mut list = json!({ "type": "array", "items": optional });
    let before = list.clone();
    restore_one(list.as_object_mut().unwrap());
    assert_eq!(list, before, "a key may be missing");
    let telltale = KNOWN[0].telltale;
    let mut pod = json!({ "type": "object", "properties": {
        "containers": { "description": telltale.1, "type": "array", "items": { "type": "object" } },
        "volumes": { "x-kubernetes-preserve-unknown-fields": true },
    } });
    let before = pod.clone();
    restore_one(pod.as_object_mut().unwrap());
    assert_eq!(pod, before, "items without fields, and no list");
}

#[test]
fn only_types_of_other_crates_are_restored() {
    let crd = |title: &str| {
        json!({ "spec": { "names": { "kind": "Cow" }, "versions": [{ "name": "v1", "schema": { "openAPIV3Schema": {
            "title": title, "properties": { "status": { "properties": { "conditions": conditions() } } },
        } } }] } })
    };
    let merged = |title: &str, foreign: Option<bool>| {
        let mut crd = crd(title);
        restore(&mut crd, &|version, fields| {
            assert_eq!(version, "v1");
            foreign.filter(|_| fields == ["status", "conditions"])
        });
        let list =
            "/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/conditions";
        let list = crd.pointer(list).unwrap();
        list.get("x-kubernetes-list-type").is_some()
    };
    assert!(merged("", Some(true)));
    assert!(!merged("Cow", Some(false)));
    // Without information about the types, the title set by kube's derive decides.
    assert!(merged("Cow", None));
    assert!(!merged("", None));
}

#[test]
fn the_protocol_of_a_port_gets_its_default_as_a_key_must_have_one() {
    let port = json!({ "type": "object", "required": ["containerPort"],
        "properties": { "containerPort": { "type": "integer" }, "protocol": { "type": "string" } } });
    let mut container = json!({ "type": "object", "properties": {
        "ports": { "type": "array", "items": port },
        "terminationMessagePath": { "description": KNOWN[1].telltale.1 },
    } });
    restore_one(container.as_object_mut().unwrap());
    assert_eq!(
        container.pointer("/properties/ports/items/properties/protocol/default"),
        Some(&json!("TCP"))
    );
}
