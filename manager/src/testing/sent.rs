//! Processing of objects sent by clients: identity checks, defaults, and cleanup.

use k8s_openapi::ByteString;
use serde_json::{Map, Value, json};

use super::{kinds::Kind, refusal::Refusal, schema, state::now};

/// Checks that an object has this kind and the namespace `place`, and fills in a missing kind.
pub(super) fn identify(object: &mut Value, kind: &Kind, place: &str) -> Result<(), Refusal> {
    if !object.is_object() {
        return Err(Refusal::bad_request("the request body is not an object"));
    }
    let is = |name: &str, wanted: &str| object[name].is_null() || object[name] == *wanted;
    if !is("kind", &kind.name) || !is("apiVersion", &kind.api_version()) {
        return Err(Refusal::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): {} {}",
            kind.name, object["apiVersion"], object["kind"]
        )));
    }
    let namespace = object["metadata"]["namespace"].as_str().unwrap_or_default();
    if !namespace.is_empty() && namespace != place {
        let message =
            "the namespace of the provided object does not match the namespace sent on the request";
        return Err(Refusal::bad_request(message));
    }
    object["apiVersion"] = kind.api_version().into();
    object["kind"] = kind.name.clone().into();
    Ok(())
}

/// Returns only the fields that identify an object.
pub(super) fn identity(object: &Value) -> Value {
    let mut identity =
        json!({"apiVersion": object["apiVersion"], "kind": object["kind"], "metadata": {}});
    for name in ["name", "namespace"] {
        set_or_remove(
            &mut identity["metadata"],
            name,
            object["metadata"].get(name).cloned(),
        );
    }
    identity
}

/// Prunes an object and sets its defaults.
pub(super) fn complete(object: &mut Value, kind: &Kind) {
    if let Some(schema) = &kind.schema {
        schema::prune(object, schema);
        schema::default(object, schema);
    }
    complete_secret(object, kind);
    if kind.name == "Secret" && object["type"].is_null() {
        object["type"] = "Opaque".into();
    }
}

/// Converts the `stringData` of a Secret to `data`, which is Base64.
pub(super) fn complete_secret(object: &mut Value, kind: &Kind) {
    if kind.name != "Secret" || kind.schema.is_some() {
        return;
    }
    let plain = remove(object, "stringData");
    for (name, text) in plain
        .as_ref()
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let bytes = text.as_str().unwrap_or_default().as_bytes().to_vec();
        if let Ok(encoded) = serde_json::to_value(ByteString(bytes)) {
            object["data"][name] = encoded;
        }
    }
}

/// Sets the status of a CRD, whose kind is served at once.
pub(super) fn establish(crd: &mut Value) {
    let met = |name: &str, reason: &str| json!({"type": name, "status": "True", "reason": reason, "message": "", "lastTransitionTime": now()});
    let versions = crd["spec"]["versions"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let stored = versions.iter().filter(|version| version["storage"] == true);
    let stored: Value = stored.map(|version| version["name"].clone()).collect();
    let names = crd["spec"]["names"].clone();
    let status = &mut crd["status"];
    if status["acceptedNames"] != names {
        *status = json!({
            "acceptedNames": names, "storedVersions": stored,
            "conditions": [met("NamesAccepted", "NoConflicts"), met("Established", "InitialNamesAccepted")],
        });
    }
}

/// Returns the part of an object whose changes increase its generation.
pub(super) fn wanted(object: &Value, kind: &Kind) -> Value {
    let mut object = object.clone();
    remove(&mut object, "metadata");
    if kind.status {
        remove(&mut object, "status");
    }
    object
}

/// Returns the object in this version of its kind.
pub(super) fn seen_as(mut object: Value, kind: &Kind) -> Value {
    object["apiVersion"] = kind.api_version().into();
    object
}

/// Removes empty metadata, and empty fields of config maps and Secrets.
pub(super) fn tidy(object: &mut Value) {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    fields(&mut object["metadata"]).retain(|_, value| !is_empty(value));
    if object["apiVersion"] == "v1"
        && ["ConfigMap", "Secret"]
            .iter()
            .any(|kind| object["kind"] == *kind)
    {
        fields(object).retain(|_, value| !is_empty(value));
    }
}

pub(super) fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.into_iter().filter(|(_, value)| !value.is_null());
            kept.map(|(name, value)| (name, without_nulls(value)))
                .collect()
        }
        other => other,
    }
}

/// Returns the fields of an object. A value that is not an object is replaced by an empty one.
pub(super) fn fields(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = json!({});
    }
    match value {
        Value::Object(map) => map,
        _ => unreachable!("it is an object by now"),
    }
}

pub(super) fn remove(object: &mut Value, name: &str) -> Option<Value> {
    object.as_object_mut()?.remove(name)
}

/// Sets a field, or removes it if `value` is `None`.
pub(super) fn set_or_remove(object: &mut Value, name: &str, value: Option<Value>) {
    match value {
        Some(value) => drop(fields(object).insert(name.to_owned(), value)),
        None => drop(fields(object).remove(name)),
    }
}
