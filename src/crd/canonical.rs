//! The canonical form of a CRD.

use serde_json::{Map, Value, json};

/// The annotation with the version of rustop that wrote a CRD.
pub const VERSION_ANNOTATION: &str = "rustop.dev/version";

/// Keywords whose value `false` equals their absence: the API server drops them.
const FLAGS: [&str; 6] = [
    "exclusiveMaximum",
    "exclusiveMinimum",
    "nullable",
    "uniqueItems",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
];

/// Brings a CRD into the form in which rustop writes it, as [`normalise`] does, and removes the
/// placeholder description that kube's derive adds.
pub fn canonical(crd: &mut Value) {
    if let Some(Value::Array(versions)) = crd.pointer_mut("/spec/versions") {
        let roots = versions.iter_mut().filter_map(|version| {
            version
                .pointer_mut("/schema/openAPIV3Schema")?
                .as_object_mut()
        });
        for root in roots {
            let description = root.get("description").and_then(Value::as_str);
            if description.is_some_and(is_made_up) {
                root.remove("description");
            }
        }
    }
    normalise(crd);
}

/// Removes the status, nulls, empty lists and redundant keywords of a CRD, and sets
/// [`VERSION_ANNOTATION`]. Keeps every description: other projects publish CRDs with the
/// placeholders of kube's derive.
pub fn normalise(crd: &mut Value) {
    let Value::Object(object) = crd else { return };
    object.remove("status");
    if let Some(Value::Array(versions)) = crd.pointer_mut("/spec/versions") {
        versions.iter_mut().for_each(canonical_version);
    }
    drop_nulls(crd);
    if let Some(Value::Object(names)) = crd.pointer_mut("/spec/names") {
        drop_empty(names, &["categories", "shortNames"]);
    }
    // A file may have anything there; the API server reports that.
    if let Some(Value::Object(metadata)) = crd.get_mut("metadata") {
        let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
        if let Value::Object(annotations) = annotations {
            annotations.insert(
                VERSION_ANNOTATION.to_owned(),
                json!(env!("CARGO_PKG_VERSION")),
            );
        }
        drop_empty(metadata, &["labels", "finalizers", "ownerReferences"]);
    }
}

fn canonical_version(version: &mut Value) {
    if let Some(root) = version.pointer_mut("/schema/openAPIV3Schema") {
        canonical_schema(root);
    }
    if let Value::Object(version) = version {
        drop_empty(
            version,
            &[
                "additionalPrinterColumns",
                "selectableFields",
                "subresources",
            ],
        );
    }
}

/// Returns true if a description is the placeholder that kube's derive adds to a kind without a doc
/// comment.
pub fn is_made_up(description: &str) -> bool {
    description.starts_with("Auto-generated derived type for ")
}

fn canonical_schema(schema: &mut Value) {
    let Value::Object(schema) = schema else {
        return;
    };
    // The API server drops a default that is null. A null is a value only in these two keywords.
    schema.retain(|key, value| !value.is_null() || matches!(key.as_str(), "enum" | "example"));
    schema.retain(|key, value| *value != json!(false) || !FLAGS.contains(&key.as_str()));
    for (key, value) in schema {
        match (key.as_str(), value) {
            ("properties" | "patternProperties" | "definitions", Value::Object(schemas)) => {
                schemas.values_mut().for_each(canonical_schema);
            }
            ("allOf" | "anyOf" | "oneOf" | "items", Value::Array(schemas)) => {
                schemas.iter_mut().for_each(canonical_schema);
            }
            ("items" | "additionalProperties" | "not", schema) => canonical_schema(schema),
            _ => {}
        }
    }
}

/// Removes null fields from the defaults in a schema, except required fields and those with their
/// own default. The API server rejects a null in a default if the field has an `enum`, and the
/// project's types treat null like a missing field.
pub fn drop_nulls_of_defaults(schema: &mut Value) {
    let Value::Object(node) = schema else { return };
    if let Some(mut default) = node.remove("default") {
        drop_optional_nulls(&mut default, node);
        node.insert("default".to_owned(), default);
    }
    for (keyword, inner) in node {
        match (keyword.as_str(), inner) {
            ("properties", Value::Object(schemas)) => {
                schemas.values_mut().for_each(drop_nulls_of_defaults);
            }
            ("items" | "additionalProperties", schema) => drop_nulls_of_defaults(schema),
            _ => {}
        }
    }
}

/// Removes the null fields of a value. A field keeps its null if it is required or has its own
/// default, because the API server would replace a missing field with that default.
fn drop_optional_nulls(value: &mut Value, schema: &Map<String, Value>) {
    let object = |keyword: &str| schema.get(keyword).and_then(Value::as_object);
    match value {
        Value::Array(items) => {
            if let Some(schema) = object("items") {
                let items = items.iter_mut();
                items.for_each(|item| drop_optional_nulls(item, schema));
            }
        }
        Value::Object(fields) => {
            let properties = object("properties");
            let values = object("additionalProperties");
            let required = schema.get("required").and_then(Value::as_array);
            let field = |name: &str| properties.and_then(|all| all.get(name)?.as_object());
            let is_optional = |name: &str, schema: &Map<String, Value>| {
                let is_required = required.is_some_and(|all| all.iter().any(|it| it == name));
                !is_required && !schema.contains_key("default")
            };
            fields.retain(|name, value| {
                let schema = field(name);
                !(value.is_null() && schema.is_some_and(|schema| is_optional(name, schema)))
            });
            for (name, value) in fields {
                if let Some(schema) = field(name).or(values) {
                    drop_optional_nulls(value, schema);
                }
            }
        }
        _ => {}
    }
}

/// Removes nulls everywhere except in schemas.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            let others = map.iter_mut().filter(|(key, _)| *key != "openAPIV3Schema");
            others.for_each(|(_, value)| drop_nulls(value));
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

fn drop_empty(map: &mut Map<String, Value>, keys: &[&str]) {
    map.retain(|key, value| {
        let is_empty = match value {
            Value::Array(items) => items.is_empty(),
            Value::Object(map) => map.is_empty(),
            value => value.is_null(),
        };
        !(is_empty && keys.contains(&key.as_str()))
    });
}
