//! Deletes of objects.

use serde_json::{Value, json};

use super::{
    kinds::Kind,
    refusal::{self, Refusal},
    sent::fields,
    state::{Key, State, now},
};

/// The propagation policy of a delete: the treatment of the objects that the deleted one owns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Propagation {
    Background,
    Foreground,
    Orphan,
}

/// The options of a delete request.
#[derive(Clone, Debug, Default)]
pub(super) struct Deletion {
    /// `None` is the same as `Background`.
    pub propagation: Option<Propagation>,
    /// The precondition that the object has this UID. `None` for any.
    pub uid: Option<String>,
    /// The precondition that the object has this resource version. `None` for any.
    pub resource_version: Option<String>,
}

/// Deletes the object and returns a `Status`. If it has finalizers or is a namespace, sets its
/// `deletionTimestamp` instead and returns it. Foreground and orphan deletion add a finalizer,
/// which the garbage collector removes.
///
/// # Errors
/// 404 if the object does not exist, 409 if a precondition is not met.
pub(super) fn delete(
    state: &mut State,
    kind: &Kind,
    key: &Key,
    deletion: &Deletion,
) -> Result<Value, Refusal> {
    let mut object = state.get(kind, key)?.clone();
    let checks = [
        ("UID", "uid", &deletion.uid, "deleted and then recreated"),
        (
            "ResourceVersion",
            "resourceVersion",
            &deletion.resource_version,
            "modified",
        ),
    ];
    for (called, field, wanted, meanwhile) in checks {
        let live = object["metadata"][field].as_str().unwrap_or_default();
        if let Some(wanted) = wanted.as_deref().filter(|wanted| *wanted != live) {
            let why = format!(
                "the {called} in the precondition ({wanted}) does not match the {called} in record ({live}). The object \
                 might have been {meanwhile}"
            );
            return Err(Refusal::not_that_one(kind, &key.name, &why));
        }
    }
    let mut finalizers = object["metadata"]["finalizers"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let own = match deletion.propagation {
        Some(Propagation::Foreground) => Some("foregroundDeletion"),
        Some(Propagation::Orphan) => Some("orphan"),
        _ => None,
    };
    if let Some(own) = own.filter(|own| !finalizers.contains(&Value::from(*own))) {
        finalizers.push(own.into());
    }
    let is_namespace = kind.plural == "namespaces";
    if finalizers.is_empty() && !is_namespace {
        let uid = object["metadata"]["uid"].clone();
        state.remove(key);
        let mut details = refusal::details(kind, &kind.plural, &key.name);
        details["uid"] = uid;
        return Ok(
            json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}),
        );
    }
    let before = object.clone();
    if !finalizers.is_empty() {
        object["metadata"]["finalizers"] = finalizers.into();
    }
    if object["metadata"]["deletionTimestamp"].is_null() {
        let meta = fields(&mut object["metadata"]);
        meta.insert("deletionTimestamp".to_owned(), now().into());
        if !is_namespace {
            meta.insert("deletionGracePeriodSeconds".to_owned(), 0.into());
        }
        if let Some(generation) = meta.get("generation").and_then(Value::as_i64) {
            meta.insert("generation".to_owned(), (generation + 1).into());
        }
        if is_namespace {
            object["status"]["phase"] = "Terminating".into();
        }
    }
    if object == before {
        return Ok(object);
    }
    Ok(state.commit(key.clone(), object))
}
