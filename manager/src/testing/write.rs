//! What changes an object: create, update, patch, apply, delete.

use json_patch::PatchOperation;
use k8s_openapi::ByteString;
use serde_json::{Map, Value, json};

use super::{
    kinds::Kind,
    managers::{Managers, Operation, Writer},
    merge,
    refusal::{self, Refusal},
    schema,
    state::{Key, State, now},
};

/// What a write is about, and who writes.
pub(super) struct Target<'a> {
    pub kind: &'a Kind,
    pub key: Key,
    /// `status`, or nothing.
    pub subresource: &'a str,
    pub manager: &'a str,
    pub force: bool,
}

/// The formats of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Format {
    Apply,
    Json,
    Merge,
    Strategic,
}

pub(super) const FORMATS: [(&str, Format); 4] = [
    ("application/json-patch+json", Format::Json),
    ("application/merge-patch+json", Format::Merge),
    ("application/strategic-merge-patch+json", Format::Strategic),
    ("application/apply-patch+yaml", Format::Apply),
];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Propagation {
    Background,
    Foreground,
    Orphan,
}

/// The options of a deletion.
#[derive(Clone, Debug, Default)]
pub(super) struct Deletion {
    pub propagation: Option<Propagation>,
    pub uid: Option<String>,
    pub resource_version: Option<String>,
}

impl Target<'_> {
    fn writer(&self, operation: Operation) -> Writer {
        Writer {
            manager: self.manager.to_owned(),
            operation,
            api_version: self.kind.api_version(),
            subresource: self.subresource.to_owned(),
        }
    }
}

/// Creates the object, with the name that it has or will have.
pub(super) fn create(
    state: &mut State,
    target: &mut Target<'_>,
    mut object: Value,
) -> Result<Value, Refusal> {
    identify(&mut object, target)?;
    let metadata = &object["metadata"];
    let text = |name: &str| metadata[name].as_str().unwrap_or_default().to_owned();
    if !text("resourceVersion").is_empty() {
        return Err(Refusal::versioned());
    }
    target.key.name = match (text("name"), text("generateName")) {
        (name, start) if name.is_empty() && !start.is_empty() => {
            let name = start + &state.random.suffix();
            object["metadata"]["name"] = name.as_str().into();
            name
        }
        (name, _) => name,
    };
    if target.key.name.is_empty() {
        let why = "Required value: name or generateName is required";
        return Err(Refusal::invalid(
            target.kind,
            &target.kind.name,
            "",
            "metadata.name",
            "FieldValueRequired",
            why,
        ));
    }
    let writer = target.writer(Operation::Update);
    let empty = identity(&object);
    created(state, target, object, |object, kind| {
        let mut managers = Managers::default();
        managers.updated(&empty, object, &writer, kind, &now());
        managers
    })
}

/// Puts a new object in its place. `managers` says who owns what of it.
fn created(
    state: &mut State,
    target: &Target<'_>,
    mut object: Value,
    managers: impl FnOnce(&Value, &Kind) -> Managers,
) -> Result<Value, Refusal> {
    let (kind, key) = (target.kind, &target.key);
    if state.objects.contains_key(key) {
        return Err(Refusal::already_exists(kind, &key.name));
    }
    if kind.namespaced
        && let Some(namespaces) = state.kinds.find("", "v1", "namespaces")
    {
        let namespace = state.get(&namespaces, &Key::new(&namespaces, "", &key.namespace))?;
        if !namespace["metadata"]["deletionTimestamp"].is_null() {
            return Err(Refusal::terminating(kind, &key.name, &key.namespace));
        }
    }
    if kind.status {
        remove(&mut object, "status");
    }
    let meta = fields(&mut object["metadata"]);
    for name in [
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "resourceVersion",
        "selfLink",
        "managedFields",
    ] {
        meta.remove(name);
    }
    meta.insert("uid".to_owned(), state.random.uid().into());
    meta.insert("creationTimestamp".to_owned(), now().into());
    if kind.generation {
        meta.insert("generation".to_owned(), 1.into());
    } else {
        meta.remove("generation");
    }
    if kind.namespaced {
        meta.insert("namespace".to_owned(), key.namespace.clone().into());
    }
    complete(&mut object, kind);
    if kind.plural == "namespaces" {
        object["spec"]["finalizers"] = json!(["kubernetes"]);
        object["status"] = json!({"phase": "Active"});
    }
    managers(&object, kind).put(&mut object);
    tidy(&mut object);
    if key.plural == "customresourcedefinitions" {
        establish(&mut object);
    }
    Ok(state.commit(key.clone(), object))
}

/// Replaces the object, or its status.
pub(super) fn update(
    state: &mut State,
    target: &Target<'_>,
    mut object: Value,
) -> Result<Value, Refusal> {
    let (kind, key) = (target.kind, &target.key);
    identify(&mut object, target)?;
    if object["metadata"]["name"] != *key.name {
        let given = object["metadata"]["name"].as_str().unwrap_or_default();
        return Err(Refusal::bad_request(format!(
            "the name of the object ({given}) does not match the name on the URL ({})",
            key.name
        )));
    }
    let before = state.get(kind, key)?.clone();
    let (given, live) = (&object["metadata"]["uid"], &before["metadata"]["uid"]);
    if let (Some(given), Some(live)) = (given.as_str(), live.as_str())
        && given != live
        && !given.is_empty()
    {
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: /registry/{}, ResourceVersion: 0, AdditionalErrorMsg: \
             Precondition failed: UID in precondition: {given}, UID in object meta: {live}",
            key.path()
        );
        return Err(Refusal::conflict(kind, &key.name, &why));
    }
    let has_version = object["metadata"]["resourceVersion"]
        .as_str()
        .is_some_and(|it| !it.is_empty());
    if !has_version && kind.schema.is_some() {
        let why = "Invalid value: 0: must be specified for an update";
        return Err(Refusal::invalid(
            kind,
            &kind.plural,
            &key.name,
            "metadata.resourceVersion",
            "FieldValueInvalid",
            why,
        ));
    }
    changed(state, target, &before, object, None)
}

/// Changes the object by a patch; an apply may create it. True if it did.
pub(super) fn patch(
    state: &mut State,
    target: &Target<'_>,
    format: Format,
    patch: &Value,
) -> Result<(bool, Value), Refusal> {
    let (kind, key) = (target.kind, &target.key);
    if format == Format::Apply {
        return apply(state, target, patch);
    }
    let before = state.get(kind, key)?.clone();
    let mut object = seen_as(before.clone(), kind);
    match format {
        Format::Json => {
            let operations = serde_json::from_value::<json_patch::Patch>(patch.clone());
            let operations = operations.map_err(|error| Refusal::bad_request(error.to_string()))?;
            for operation in &*operations {
                // of a field that is not there, the real one says that it is null
                let is_met = matches!(operation, PatchOperation::Test(test)
                    if test.value.is_null() && object.pointer(test.path.as_str()).is_none());
                if !is_met {
                    let operation = std::slice::from_ref(operation);
                    json_patch::patch(&mut object, operation)
                        .map_err(|_| Refusal::unprocessable())?;
                }
            }
        }
        Format::Strategic if kind.schema.is_some() => {
            let known = FORMATS
                .iter()
                .filter(|(_, format)| *format != Format::Strategic);
            let known: Vec<_> = known.map(|(name, _)| *name).collect();
            return Err(Refusal::unsupported_patch(&known.join(", ")));
        }
        Format::Strategic => {
            if patch.to_string().contains("\"$") {
                return Err(Refusal::not_in_memory(
                    "directives of strategic merge patches",
                ));
            }
            object = without_nulls(merge::merged(&object, patch, kind.shape()));
        }
        Format::Merge | Format::Apply => json_patch::merge(&mut object, patch),
    }
    changed(state, target, &before, object, None).map(|object| (false, object))
}

fn apply(
    state: &mut State,
    target: &Target<'_>,
    applied: &Value,
) -> Result<(bool, Value), Refusal> {
    let (kind, key) = (target.kind, &target.key);
    if target.manager.is_empty() {
        return Err(Refusal::no_manager());
    }
    let mut applied = applied.clone();
    identify(&mut applied, target)?;
    if !applied["metadata"]["managedFields"].is_null() {
        return Err(Refusal::bad_request("metadata.managedFields must be nil"));
    }
    let uid = applied["metadata"]["uid"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let version = remove(&mut applied["metadata"], "resourceVersion");
    fields(&mut applied["metadata"]).insert("name".to_owned(), key.name.clone().into());
    if target.subresource == "status" {
        fields(&mut applied).retain(|name, _| {
            ["apiVersion", "kind", "metadata", "status"].contains(&name.as_str())
        });
        let identity = identity(&applied);
        applied["metadata"] = identity["metadata"].clone();
    } else if kind.status {
        remove(&mut applied, "status");
    }
    let writer = target.writer(Operation::Apply);
    let before = state.objects.get(key).cloned();
    let is_new = before.is_none();
    let live = match &before {
        Some(before) => seen_as(before.clone(), kind),
        None if !target.subresource.is_empty() => return Err(Refusal::not_found(kind, &key.name)),
        None if !uid.is_empty() => {
            let why = format!(
                "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
            );
            return Err(Refusal::conflict(kind, &key.name, &why));
        }
        None => identity(&applied),
    };
    let mut managers = Managers::of(&live);
    let mut object = managers.apply(&live, &applied, &writer, target.force, kind, &now())?;
    if let Some(version) = version.filter(|_| !is_new) {
        object["metadata"]["resourceVersion"] = version;
    }
    let object = match &before {
        None => created(state, target, object, |_, _| managers)?,
        Some(before) => changed(state, target, before, object, Some(managers))?,
    };
    Ok((is_new, object))
}

/// Writes `object` over `before`, if it may be and if it differs. Where it was applied, `managers` are known.
fn changed(
    state: &mut State,
    target: &Target<'_>,
    before: &Value,
    mut object: Value,
    managers: Option<Managers>,
) -> Result<Value, Refusal> {
    let (kind, key) = (target.kind, &target.key);
    let (old, new) = (&before["metadata"], &object["metadata"]);
    let given = |name: &str| new[name].as_str().filter(|value| !value.is_empty());
    if let Some(uid) = given("uid").filter(|uid| old["uid"] != **uid) {
        let why = format!("Invalid value: \"{uid}\": field is immutable");
        let field = "metadata.uid";
        return Err(Refusal::unchangeable(
            kind,
            &key.name,
            field,
            "FieldValueInvalid",
            &why,
        ));
    }
    if given("resourceVersion").is_some_and(|version| old["resourceVersion"] != *version) {
        return Err(Refusal::modified(kind, &key.name));
    }
    let is_going = !old["deletionTimestamp"].is_null();
    for name in ["apiVersion", "kind"] {
        object[name] = before[name].clone();
    }
    if target.subresource == "status" {
        let status = remove(&mut object, "status");
        object = before.clone();
        put(&mut object, "status", status);
    } else if kind.status {
        put(&mut object, "status", before.get("status").cloned());
    }
    let kept = [
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "generateName",
        "generation",
        "managedFields",
        "name",
        "namespace",
        "resourceVersion",
        "selfLink",
        "uid",
    ];
    for name in kept {
        put(&mut object["metadata"], name, old.get(name).cloned());
    }
    if is_going {
        no_new_finalizers(kind, key, before, &object)?;
    }
    complete(&mut object, kind);
    tidy(&mut object);
    if kind.generation && wanted(before, kind) != wanted(&object, kind) {
        let generation = old["generation"].as_i64().unwrap_or_default() + 1;
        object["metadata"]["generation"] = generation.into();
    }
    let known = Managers::of(before);
    let managers = managers.unwrap_or_else(|| {
        let mut managers = known.clone();
        managers.updated(
            before,
            &object,
            &target.writer(Operation::Update),
            kind,
            &now(),
        );
        managers
    });
    if managers != known {
        managers.put(&mut object);
    }
    if object == *before {
        return Ok(object);
    }
    if key.plural == "customresourcedefinitions" {
        establish(&mut object);
    }
    Ok(state.commit(key.clone(), object))
}

/// Deletes the object, or says that it is to go, where something is to be done before.
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

/// Notes that `manager` made `object` of what was there `before`.
pub(super) fn note(before: &Value, object: &mut Value, kind: &Kind, manager: &str) {
    let writer = Writer {
        manager: manager.to_owned(),
        operation: Operation::Update,
        api_version: kind.api_version(),
        subresource: String::new(),
    };
    let mut managers = Managers::of(before);
    managers.updated(before, object, &writer, kind, &now());
    managers.put(object);
}

/// Checks that an object is of the kind, and says so where it does not say.
fn identify(object: &mut Value, target: &Target<'_>) -> Result<(), Refusal> {
    let kind = target.kind;
    if !object.is_object() {
        return Err(Refusal::bad_request("the body of the request is no object"));
    }
    let is = |name: &str, wanted: &str| object[name].is_null() || object[name] == *wanted;
    if !is("kind", &kind.name) || !is("apiVersion", &kind.api_version()) {
        return Err(Refusal::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): {} {}",
            kind.name, object["apiVersion"], object["kind"]
        )));
    }
    let namespace = object["metadata"]["namespace"].as_str().unwrap_or_default();
    if !namespace.is_empty() && namespace != target.key.namespace {
        let message =
            "the namespace of the provided object does not match the namespace sent on the request";
        return Err(Refusal::bad_request(message));
    }
    object["apiVersion"] = kind.api_version().into();
    object["kind"] = kind.name.clone().into();
    Ok(())
}

/// What of an object says which one it is.
fn identity(object: &Value) -> Value {
    let mut identity =
        json!({"apiVersion": object["apiVersion"], "kind": object["kind"], "metadata": {}});
    for name in ["name", "namespace"] {
        put(
            &mut identity["metadata"],
            name,
            object["metadata"].get(name).cloned(),
        );
    }
    identity
}

/// What the API server adds to an object, and takes from it.
fn complete(object: &mut Value, kind: &Kind) {
    if let Some(schema) = &kind.schema {
        schema::prune(object, schema);
        schema::default(object, schema);
    }
    complete_secret(object, kind);
    if kind.name == "Secret" && object["type"].is_null() {
        object["type"] = "Opaque".into();
    }
}

/// A Secret may be written as plain text, and is read as Base64.
fn complete_secret(object: &mut Value, kind: &Kind) {
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

/// A kind that was defined is served at once.
fn establish(crd: &mut Value) {
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

fn no_new_finalizers(
    kind: &Kind,
    key: &Key,
    before: &Value,
    object: &Value,
) -> Result<(), Refusal> {
    let list = |object: &Value| {
        object["metadata"]["finalizers"]
            .as_array()
            .cloned()
            .unwrap_or_default()
    };
    let known = list(before);
    let new: Vec<_> = list(object)
        .into_iter()
        .filter(|it| !known.contains(it))
        .collect();
    if new.is_empty() {
        return Ok(());
    }
    let new: Vec<_> = new.iter().map(Value::to_string).collect();
    let why = format!(
        "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
        new.join(", ")
    );
    Err(Refusal::unchangeable(
        kind,
        &key.name,
        "metadata.finalizers",
        "FieldValueForbidden",
        &why,
    ))
}

/// What of an object its generation counts.
fn wanted(object: &Value, kind: &Kind) -> Value {
    let mut object = object.clone();
    remove(&mut object, "metadata");
    if kind.status {
        remove(&mut object, "status");
    }
    object
}

/// The object as this version of its kind has it.
pub(super) fn seen_as(mut object: Value, kind: &Kind) -> Value {
    object["apiVersion"] = kind.api_version().into();
    object
}

/// What is empty in metadata is not there.
fn tidy(object: &mut Value) {
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

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.into_iter().filter(|(_, value)| !value.is_null());
            kept.map(|(name, value)| (name, without_nulls(value)))
                .collect()
        }
        other => other,
    }
}

/// The fields of an object; whatever else it is becomes one.
fn fields(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = json!({});
    }
    match value {
        Value::Object(map) => map,
        _ => unreachable!("it is an object by now"),
    }
}

fn remove(object: &mut Value, name: &str) -> Option<Value> {
    object.as_object_mut()?.remove(name)
}

fn put(object: &mut Value, name: &str, value: Option<Value>) {
    match value {
        Some(value) => drop(fields(object).insert(name.to_owned(), value)),
        None => drop(fields(object).remove(name)),
    }
}
