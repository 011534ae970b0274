//! Processing of objects sent by clients: identity checks, defaults, the status of CRDs, and
//! cleanup. `write.rs` calls these functions before it stores an object.

use k8s_openapi::ByteString;
use serde_json::{Map, Value, json};

use super::{kinds::Kind, refusal::Refusal, schema, state::now};

/// Checks that an object has this kind and, if it names a namespace, that of the request,
/// `requested`. Fills in a missing `apiVersion` and `kind`. The error is a 400.
pub(super) fn identify(object: &mut Value, kind: &Kind, requested: &str) -> Result<(), Refusal> {
    if !object.is_object() {
        return Err(Refusal::bad_request("the request body is not an object"));
    }
    let is = |name: &str, expected: &str| object[name].is_null() || object[name] == *expected;
    if !is("kind", &kind.name) || !is("apiVersion", &kind.api_version()) {
        return Err(Refusal::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): {} {}",
            kind.name, object["apiVersion"], object["kind"]
        )));
    }
    let namespace = object["metadata"]["namespace"].as_str().unwrap_or_default();
    if !namespace.is_empty() && namespace != requested {
        let message =
            "the namespace of the provided object does not match the namespace sent on the request";
        return Err(Refusal::bad_request(message));
    }
    object["apiVersion"] = kind.api_version().into();
    object["kind"] = kind.name.clone().into();
    Ok(())
}

/// Returns only the fields that identify an object: `apiVersion`, `kind`, name and namespace.
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

/// Prunes an object and sets its defaults, by the schema of its CRD. Of built-in kinds, only
/// Secrets are changed.
pub(super) fn fill_in(object: &mut Value, kind: &Kind) {
    if let Some(schema) = &kind.schema {
        schema::prune(object, schema);
        schema::default(object, schema);
    }
    complete_secret(object, kind);
    if is_secret(kind) && object["type"].is_null() {
        object["type"] = "Opaque".into();
    }
}

/// Returns true for the Secret of Kubernetes, and false for a custom kind of the same name.
fn is_secret(kind: &Kind) -> bool {
    kind.group.is_empty() && kind.name == "Secret"
}

/// Converts the `stringData` of a Secret to `data`, which is Base64.
pub(super) fn complete_secret(object: &mut Value, kind: &Kind) {
    if !is_secret(kind) {
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

/// Completes the status of a CRD, whose kind is served at once. Accepts new names, and appends a
/// new storage version to `storedVersions`. As on a real API server, a former storage version stays
/// there until a client removes it.
pub(super) fn establish(crd: &mut Value) {
    let met = |name: &str, reason: &str| json!({"type": name, "status": "True", "reason": reason, "message": "", "lastTransitionTime": now()});
    let versions = crd["spec"]["versions"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let names = crd["spec"]["names"].clone();
    let status = fields(&mut crd["status"]);
    let mut stored = status
        .get("storedVersions")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    for version in versions.iter().filter(|version| version["storage"] == true) {
        if !stored.contains(&version["name"]) {
            stored.push(version["name"].clone());
        }
    }
    status.insert("storedVersions".to_owned(), stored.into());
    if status.get("acceptedNames") != Some(&names) {
        status.insert("acceptedNames".to_owned(), names);
        status.insert(
            "conditions".to_owned(),
            json!([
                met("NamesAccepted", "NoConflicts"),
                met("Established", "InitialNamesAccepted")
            ]),
        );
    }
}

/// Returns the desired state of an object: all fields except for the metadata and, if the kind has
/// a status subresource, the status. Changes of this part increase the generation.
pub(super) fn desired_state(object: &Value, kind: &Kind) -> Value {
    let mut object = object.clone();
    remove(&mut object, "metadata");
    if kind.status {
        remove(&mut object, "status");
    }
    object
}

/// Removes empty metadata, and empty fields of config maps and Secrets: the API server omits them
/// when it serializes the Go types.
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

/// Returns a value without the fields that are null, at any depth outside of lists. A strategic
/// merge patch removes the fields that it sets to null.
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

/// Removes a field and returns its value; `None` if there is none, or if `object` is not an object.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a CRD with two versions, of which `storage` is the storage version.
    fn crd(storage: &str) -> Value {
        let versions = ["v1alpha1", "v1"]
            .map(|name| json!({"name": name, "served": true, "storage": name == storage}));
        json!({"spec": {"names": {"kind": "Cow", "plural": "cows"}, "versions": versions}})
    }

    /// Returns the namespaced kind `Secret` of a group.
    fn secret(group: &str, schema: Option<Value>) -> Kind {
        Kind {
            group: group.to_owned(),
            version: "v1".to_owned(),
            plural: "secrets".to_owned(),
            name: "Secret".to_owned(),
            namespaced: true,
            status: false,
            generation: false,
            schema,
            selectable: Vec::new(),
            converted_to: None,
        }
    }

    #[test]
    fn a_new_storage_version_is_added_to_the_stored_ones() {
        let mut cows = crd("v1alpha1");
        establish(&mut cows);
        assert_eq!(cows["status"]["storedVersions"], json!(["v1alpha1"]));
        assert_eq!(cows["status"]["acceptedNames"], cows["spec"]["names"]);

        let conditions = cows["status"]["conditions"].clone();
        cows["spec"] = crd("v1")["spec"].clone();
        establish(&mut cows);
        assert_eq!(cows["status"]["storedVersions"], json!(["v1alpha1", "v1"]));
        assert_eq!(cows["status"]["conditions"], conditions);

        // A client removes the old version after a migration.
        cows["status"]["storedVersions"] = json!(["v1"]);
        establish(&mut cows);
        assert_eq!(cows["status"]["storedVersions"], json!(["v1"]));
    }

    #[test]
    fn new_names_keep_the_stored_versions() {
        let mut cows = crd("v1alpha1");
        establish(&mut cows);
        cows["spec"] = crd("v1")["spec"].clone();
        cows["spec"]["names"]["shortNames"] = json!(["co"]);
        establish(&mut cows);
        assert_eq!(cows["status"]["storedVersions"], json!(["v1alpha1", "v1"]));
        assert_eq!(cows["status"]["acceptedNames"], cows["spec"]["names"]);
    }

    #[test]
    fn only_secrets_of_kubernetes_get_a_type() {
        let schema = json!({"type": "object", "properties": {"stringData": {"type": "object"}}});
        let sent = json!({"metadata": {"name": "a"}, "stringData": {}});
        let mut custom = sent.clone();
        fill_in(&mut custom, &secret("my.domain", Some(schema)));
        assert!(custom["type"].is_null(), "{custom}");
        assert_eq!(custom["stringData"], json!({}));
        let mut built_in = sent;
        fill_in(&mut built_in, &secret("", None));
        assert_eq!(built_in["type"], "Opaque");
    }
}
