//! Pruning and defaulting of objects by the schema of a CRD.

use serde_json::Value;

/// Removes fields that are not in the schema (`openAPIV3Schema`), except `apiVersion`, `kind` and
/// `metadata`.
pub(super) fn prune(object: &mut Value, schema: &Value) {
    prune_inside(object, schema, true);
}

fn prune_inside(value: &mut Value, schema: &Value, is_root: bool) {
    match value {
        Value::Object(map) => {
            let keeps = schema["x-kubernetes-preserve-unknown-fields"] == true;
            let is_object = is_root || schema["x-kubernetes-embedded-resource"] == true;
            let others = &schema["additionalProperties"];
            let known = |name: &str| {
                let identity = is_object && ["apiVersion", "kind", "metadata"].contains(&name);
                identity
                    || keeps
                    || others.is_object()
                    || *others == true
                    || !schema["properties"][name].is_null()
            };
            map.retain(|name, _| known(name));
            for (name, value) in map {
                if !(is_object && name == "metadata") {
                    let inside = &schema["properties"][name.as_str()];
                    let inside = if inside.is_null() { others } else { inside };
                    if inside.is_object() {
                        prune_inside(value, inside, false);
                    }
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                prune_inside(item, &schema["items"], false);
            }
        }
        _ => {}
    }
}

/// Sets missing fields to their defaults. Removes nulls that the schema does not allow, or replaces
/// them by the default.
pub(super) fn default(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(map) => {
            for (name, inside) in schema["properties"].as_object().into_iter().flatten() {
                let is_null = map.get(name).is_some_and(Value::is_null);
                if let Some(default) = inside.get("default")
                    && (!map.contains_key(name) || is_null && inside["nullable"] != true)
                {
                    map.insert(name.clone(), default.clone());
                } else if is_null && inside["nullable"] != true {
                    map.remove(name);
                }
                if let Some(value) = map.get_mut(name) {
                    self::default(value, inside);
                }
            }
            let others = &schema["additionalProperties"];
            for (_, value) in map
                .iter_mut()
                .filter(|(name, _)| schema["properties"][name.as_str()].is_null())
            {
                default(value, others);
            }
        }
        Value::Array(items) => {
            for item in items {
                default(item, &schema["items"]);
            }
        }
        _ => {}
    }
}
