//! Write requests to the in-memory API server: create, update, patch, and apply. Deletions are in
//! `delete`.

use json_patch::PatchOperation;
use serde_json::{Value, json};

use super::{
    kinds::Kind,
    managers::{ManagedOperation, Managers, Writer},
    merge,
    refusal::Refusal,
    sent::{
        complete, desired_state, establish, fields, identify, identity, in_version_of, remove,
        set_or_remove, tidy, without_nulls,
    },
    state::{Key, State, now},
};

/// The target of a write request, from its URL and its query.
pub(super) struct Target<'a> {
    pub kind: &'a Kind,
    /// The key of the object. Its name is empty in a create until [`create`] sets it.
    pub key: Key,
    /// `status` or empty.
    pub subresource: &'a str,
    /// The field manager of the write.
    pub manager: &'a str,
    /// True if an apply takes over conflicting fields of other field managers.
    pub force: bool,
}

/// The format of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Format {
    Apply,
    Json,
    Merge,
    Strategic,
}

/// The media types of patches.
pub(super) const FORMATS: [(&str, Format); 4] = [
    ("application/json-patch+json", Format::Json),
    ("application/merge-patch+json", Format::Merge),
    ("application/strategic-merge-patch+json", Format::Strategic),
    ("application/apply-patch+yaml", Format::Apply),
];

impl Target<'_> {
    fn writer(&self, operation: ManagedOperation) -> Writer {
        Writer {
            manager: self.manager.to_owned(),
            operation,
            api_version: self.kind.api_version(),
            subresource: self.subresource.to_owned(),
        }
    }
}

/// Creates the object, and generates its name if it has only a `generateName`. Sets the name in the
/// key of `target`.
pub(super) fn create(
    state: &mut State,
    target: &mut Target<'_>,
    mut object: Value,
) -> Result<Value, Refusal> {
    identify(&mut object, target.kind, &target.key.namespace)?;
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
    let writer = target.writer(ManagedOperation::Update);
    let empty = identity(&object);
    created(state, target, object, |object, kind| {
        let mut managers = Managers::default();
        managers.updated(&empty, object, &writer, kind, &now());
        managers
    })
}

/// Stores a new object. `managers` computes its field ownership.
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
    managers(&object, kind).write_to(&mut object);
    tidy(&mut object);
    if key.plural == "customresourcedefinitions" {
        establish(&mut object);
    }
    Ok(state.commit(key.clone(), object))
}

/// Replaces the object, or only its status if the target is the `status` subresource.
pub(super) fn update(
    state: &mut State,
    target: &Target<'_>,
    mut object: Value,
) -> Result<Value, Refusal> {
    let (kind, key) = (target.kind, &target.key);
    identify(&mut object, target.kind, &target.key.namespace)?;
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
    // The API server requires a version for custom resources, but not for most built-in kinds.
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

/// Patches the object. Also returns true if the object is new, since an apply may create it.
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
    let mut object = in_version_of(before.clone(), kind);
    match format {
        Format::Json => {
            let operations = serde_json::from_value::<json_patch::Patch>(patch.clone());
            let operations = operations.map_err(|error| Refusal::bad_request(error.to_string()))?;
            for operation in &*operations {
                // the real API server treats a missing field as null in a JSON Patch `test`
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

/// Handles a server-side apply.
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
    identify(&mut applied, target.kind, &target.key.namespace)?;
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
    let writer = target.writer(ManagedOperation::Apply);
    let before = state.objects.get(key).cloned();
    let is_new = before.is_none();
    let live = match &before {
        Some(before) => in_version_of(before.clone(), kind),
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

/// Validates and writes a change of `before` to `object`, if they differ. `managers` is the field
/// ownership after an apply.
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
        return Err(Refusal::invalid(
            kind,
            &kind.name,
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
        set_or_remove(&mut object, "status", status);
    } else if kind.status {
        set_or_remove(&mut object, "status", before.get("status").cloned());
    }
    // A write cannot change these: other values were rejected above, or are ignored.
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
        set_or_remove(&mut object["metadata"], name, old.get(name).cloned());
    }
    if is_going {
        no_new_finalizers(kind, key, before, &object)?;
    }
    complete(&mut object, kind);
    tidy(&mut object);
    if kind.generation && desired_state(before, kind) != desired_state(&object, kind) {
        let generation = old["generation"].as_i64().unwrap_or_default() + 1;
        object["metadata"]["generation"] = generation.into();
    }
    let known = Managers::of(before);
    let managers = managers.unwrap_or_else(|| {
        let mut managers = known.clone();
        managers.updated(
            before,
            &object,
            &target.writer(ManagedOperation::Update),
            kind,
            &now(),
        );
        managers
    });
    if managers != known {
        managers.write_to(&mut object);
    }
    if object == *before {
        return Ok(object);
    }
    if key.plural == "customresourcedefinitions" {
        establish(&mut object);
    }
    Ok(state.commit(key.clone(), object))
}

/// Updates `metadata.managedFields` of `object`: `manager` owns the fields in which it differs from
/// `before`.
pub(super) fn record_manager(before: &Value, object: &mut Value, kind: &Kind, manager: &str) {
    let writer = Writer {
        manager: manager.to_owned(),
        operation: ManagedOperation::Update,
        api_version: kind.api_version(),
        subresource: String::new(),
    };
    let mut managers = Managers::of(before);
    managers.updated(before, object, &writer, kind, &now());
    managers.write_to(object);
}

/// Rejects new finalizers for an object that is being deleted.
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
