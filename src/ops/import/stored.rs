//! The form in which the API server stores an object: without unknown fields and needless nulls,
//! and with defaults.

use serde_json::{Map, Value, json};

use crate::crd::check::value;

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// The fields of a resource that its schema does not need to declare.
const OF_RESOURCES: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Returns the reason why an object does not fit the schema of its kind's version, or `None` if it
/// does. Fields that the API server ignores do not count.
pub fn misfit(schema: &Value, object: &Value) -> Option<String> {
    let mut object = object.clone();
    stored(schema, &mut object);
    let mut schema = schema.as_object()?.clone();
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    for name in OF_RESOURCES {
        properties[name] = json!({ PRESERVE: true });
    }
    value::misfit(&object, &schema, "")
}

/// Brings an object of a kind into the form in which the API server stores it. `schema` is that of
/// the kind's version.
fn stored(schema: &Value, object: &mut Value) {
    complete(schema, object, true);
}

/// Does the work of [`stored`] for one value and everything in it. `is_resource` is true if the
/// value is a complete object, whose `apiVersion`, `kind` and `metadata` need no schema.
fn complete(schema: &Value, value: &mut Value, is_resource: bool) {
    // Preserved unknown fields have no schema.
    if !schema.is_object() {
        return;
    }
    match value {
        Value::Object(fields) => {
            let properties = schema["properties"].as_object();
            let is_open = schema[PRESERVE] == true || !schema["additionalProperties"].is_null();
            prune(fields, properties, is_open, is_resource);
            for (name, property) in properties.into_iter().flatten() {
                if let (None, Some(default)) = (fields.get(name), property.get("default")) {
                    fields.insert(name.clone(), default.clone());
                }
            }
            for (name, value) in fields {
                if is_resource && name == "metadata" {
                    continue;
                }
                let property = properties.and_then(|all| all.get(name));
                let property = property.unwrap_or(&schema["additionalProperties"]);
                let is_resource = property["x-kubernetes-embedded-resource"] == true;
                complete(property, value, is_resource);
            }
        }
        Value::Array(items) => {
            let schema = &schema["items"];
            let is_resource = schema["x-kubernetes-embedded-resource"] == true;
            for item in items {
                complete(schema, item, is_resource);
            }
        }
        _ => {}
    }
}

/// Removes unknown fields, and the nulls of fields that are not nullable.
fn prune(
    fields: &mut Map<String, Value>,
    properties: Option<&Map<String, Value>>,
    is_open: bool,
    is_resource: bool,
) {
    fields.retain(|name, value| {
        let property = properties.and_then(|all| all.get(name));
        let is_own = is_resource && OF_RESOURCES.contains(&name.as_str());
        let is_dropped = value.is_null() && property.is_some_and(|it| it["nullable"] != true);
        (property.is_some() || is_open || is_own) && !is_dropped
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_pruned_and_has_its_defaults() {
        let schema = json!({"properties": {
            "spec": {"properties": {
                "a": {"type": "string", "default": "x"},
                "b": {"type": "string", "nullable": true},
                "c": {"type": "string"},
                "map": {"additionalProperties": {"properties": {"d": {"default": 1}}}},
                "list": {"items": {"properties": {"e": {"default": 2}}}},
                "any": {PRESERVE: true},
                "pod": {"x-kubernetes-embedded-resource": true, "properties": {"spec": {}}},
            }},
        }});
        let mut object = json!({
            "apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}, "other": 1,
            "spec": {
                "a": null, "b": null, "c": null, "f": 1,
                "map": {"k": {}}, "list": [{}], "any": {"g": 1},
                "pod": {"kind": "Pod", "spec": {}, "status": {}},
            },
        });
        stored(&schema, &mut object);
        let expected = json!({
            "apiVersion": "v1", "kind": "A", "metadata": {"name": "a"},
            "spec": {
                "a": "x", "b": null,
                "map": {"k": {"d": 1}}, "list": [{"e": 2}], "any": {"g": 1},
                "pod": {"kind": "Pod", "spec": {}},
            },
        });
        assert_eq!(object, expected);
    }

    #[test]
    fn an_object_fits_as_the_api_server_stores_it() {
        let schema = json!({"type": "object", "required": ["metadata", "spec"], "properties": {
            "spec": {"type": "object", "required": ["a"], "properties": {
                "a": {"type": "string", "default": "x"}, "b": {"type": "integer"},
            }},
        }});
        let misfit = |spec: Value| {
            let object =
                json!({"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}, "spec": spec});
            misfit(&schema, &object)
        };
        assert_eq!(misfit(json!({"b": null, "c": 1})), None);
        let why = misfit(json!({"b": "three"})).unwrap();
        assert_eq!(why, "`.spec.b` is not of the type `integer`");
    }
}
