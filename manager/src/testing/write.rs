//! Write requests to the in-memory API server: create, update, patch, and apply. Deletions are in
//! `delete`.
//!
//! A write has three phases, as in a real API server: [`draft`] determines the object, [`complete`]
//! completes it, and [`store`] stores it. Mutating webhooks change the draft, and validating
//! webhooks see the complete object. They are called between the phases, while the state is not
//! locked; so the live object may change meanwhile, and `store` does not overwrite a newer one.

use json_patch::PatchOperation;
use serde_json::{Value, json};

use super::{
    kinds::Kind,
    managers::{ManagedOperation, Managers, Writer},
    merge,
    permissions::resource_with_group,
    refusal::Refusal,
    sent::{
        desired_state, establish, fields, fill_in, identify, identity, remove, set_or_remove, tidy,
        without_nulls,
    },
    state::{Key, State, now},
    target::Target,
    webhook_configuration,
};

/// The format of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Format {
    Apply,
    Json,
    Merge,
    Strategic,
}

/// The media types (`Content-Type`) of patches.
pub(super) const FORMATS: [(&str, Format); 4] = [
    ("application/json-patch+json", Format::Json),
    ("application/merge-patch+json", Format::Merge),
    ("application/strategic-merge-patch+json", Format::Strategic),
    ("application/apply-patch+yaml", Format::Apply),
];

impl<'a> Target<'a> {
    /// Returns the target of a write that is not a request of an operator, with the field manager
    /// `test`.
    pub fn of_cluster(kind: &'a Kind, key: Key) -> Self {
        Self {
            kind,
            key,
            subresource: "",
            manager: "test",
            force: false,
            dry_run: false,
            process: 0,
        }
    }

    /// Returns the resource with its group and its subresource: `deployments.apps/status`.
    pub fn resource(&self) -> String {
        resource_with_group(&self.kind.plural, &self.kind.group, self.subresource)
    }

    fn writer(&self, operation: ManagedOperation) -> Writer {
        Writer {
            manager: self.manager.to_owned(),
            operation,
            api_version: self.kind.api_version(),
            subresource: self.subresource.to_owned(),
        }
    }
}

/// A write request without its target.
pub(super) enum Write {
    /// The new object.
    Create(Value),
    /// The object that replaces the live one.
    Update(Value),
    /// The patch, or the object of an apply.
    Patch(Format, Value),
}

/// A write that is not stored yet.
#[derive(Clone)]
pub(super) struct Draft {
    /// The live object, in the version of the request. `None` for a new object.
    pub before: Option<Value>,
    /// The object after the write, in the version of the request.
    pub object: Value,
    /// The owners of the fields that the request sets. A webhook owns no fields.
    managers: Managers,
}

/// Determines the object that a write request results in. Sets the name of a created object in the
/// key of `target`. The error is the response to an invalid request.
pub(super) fn draft(
    state: &State,
    target: &mut Target<'_>,
    write: &Write,
) -> Result<Draft, Refusal> {
    match write {
        Write::Create(object) => create(state, target, object.clone()),
        Write::Update(object) => update(state, target, object.clone()),
        Write::Patch(Format::Apply, applied) => apply(state, target, applied),
        Write::Patch(format, patch) => self::patch(state, target, *format, patch),
    }
}

/// Completes the object as it will be stored. Generates the name of a new object that has only a
/// `generateName`, and sets it in the key of `target`.
pub(super) fn complete(
    state: &mut State,
    target: &mut Target<'_>,
    mut draft: Draft,
) -> Result<Draft, Refusal> {
    if target.key.is_webhook_configuration() {
        webhook_configuration::check(&draft.object)?;
    }
    match &draft.before {
        None => complete_new(state, target, &mut draft)?,
        Some(before) => complete_change(target, before, &draft.managers, &mut draft.object),
    }
    if target.key.plural == "customresourcedefinitions" && draft.is_change() {
        establish(&mut draft.object);
    }
    Ok(draft)
}

/// Stores the object of a complete draft, and returns it. Returns `None` if the live object has
/// changed since the draft was made.
pub(super) fn store(
    state: &mut State,
    target: &Target<'_>,
    draft: &Draft,
) -> Result<Option<Value>, Refusal> {
    let (kind, key) = (target.kind, &target.key);
    let live = state.objects.get(key);
    let version = |object: &Value| object["metadata"]["resourceVersion"].clone();
    if live.map(version) != draft.before.as_ref().map(version) {
        return Ok(None);
    }
    let object = state.storable(draft.object.clone(), kind, live)?;
    if live == Some(&object) {
        return Ok(Some(object));
    }
    Ok(Some(state.commit(key.clone(), object)))
}

/// Performs a write without webhooks, and returns the object as it is stored.
pub(super) fn at_once(
    state: &mut State,
    target: &mut Target<'_>,
    write: &Write,
) -> Result<Value, Refusal> {
    let draft = draft(state, target, write)?;
    let draft = complete(state, target, draft)?;
    let stored = store(state, target, &draft)?;
    // Nothing else changes the state meanwhile, so the object of a create exists already.
    stored.ok_or_else(|| Refusal::already_exists(target.kind, &target.key.name))
}

impl Draft {
    fn is_change(&self) -> bool {
        self.before.as_ref() != Some(&self.object)
    }
}

/// Creates an object.
fn create(state: &State, target: &mut Target<'_>, mut object: Value) -> Result<Draft, Refusal> {
    identify(&mut object, target.kind, &target.key.namespace)?;
    let metadata = &object["metadata"];
    let text = |name: &str| metadata[name].as_str().unwrap_or_default();
    if !text("resourceVersion").is_empty() {
        return Err(Refusal::versioned());
    }
    text("name").clone_into(&mut target.key.name);
    let writer = target.writer(ManagedOperation::Update);
    let empty = identity(&object);
    new(state, target, object, |object, kind| {
        let mut managers = Managers::default();
        managers.updated(&empty, object, &writer, kind, &now());
        managers
    })
}

/// Returns the draft of a new object. `managers` computes its field ownership.
fn new(
    state: &State,
    target: &Target<'_>,
    mut object: Value,
    managers: impl FnOnce(&Value, &Kind) -> Managers,
) -> Result<Draft, Refusal> {
    let (kind, key) = (target.kind, &target.key);
    if kind.namespaced
        && let Some(namespaces) = state.kinds.find("", "v1", "namespaces")
    {
        let namespace = state.get(&namespaces, &Key::new(&namespaces, "", &key.namespace))?;
        if !namespace["metadata"]["deletionTimestamp"].is_null() {
            return Err(Refusal::terminating(kind, &key.name, &key.namespace));
        }
    }
    without_system_fields(target, &mut object);
    fill_in(&mut object, kind);
    let managers = managers(&object, kind);
    managers.write_to(&mut object);
    Ok(Draft {
        before: None,
        object,
        managers,
    })
}

/// Removes the fields of a new object that its author cannot set.
fn without_system_fields(target: &Target<'_>, object: &mut Value) {
    let kind = target.kind;
    if kind.status {
        remove(object, "status");
    }
    let meta = fields(&mut object["metadata"]);
    for name in [
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "resourceVersion",
        "selfLink",
        "managedFields",
        "generation",
        "uid",
        "creationTimestamp",
    ] {
        meta.remove(name);
    }
    if kind.namespaced {
        let namespace = target.key.namespace.clone();
        meta.insert("namespace".to_owned(), namespace.into());
    }
}

/// Completes a new object: its name, its UID, its defaults and the owners of its fields.
fn complete_new(
    state: &mut State,
    target: &mut Target<'_>,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let (kind, object) = (target.kind, &mut draft.object);
    without_system_fields(target, object);
    let metadata = &object["metadata"];
    let text = |name: &str| metadata[name].as_str().unwrap_or_default().to_owned();
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
        let (field, reason) = ("metadata.name", "FieldValueRequired");
        return Err(Refusal::invalid(kind, &kind.name, "", field, reason, why));
    }
    let meta = fields(&mut object["metadata"]);
    meta.insert("uid".to_owned(), state.random.uid().into());
    meta.insert("creationTimestamp".to_owned(), now().into());
    if kind.generation {
        meta.insert("generation".to_owned(), 1.into());
    }
    fill_in(object, kind);
    if kind.plural == "namespaces" {
        object["spec"]["finalizers"] = json!(["kubernetes"]);
        object["status"] = json!({"phase": "Active"});
    }
    draft.managers.write_to(object);
    tidy(object);
    Ok(())
}

/// Replaces the object, or only its status if the target is the `status` subresource.
fn update(state: &State, target: &Target<'_>, mut object: Value) -> Result<Draft, Refusal> {
    let (kind, key) = (target.kind, &target.key);
    identify(&mut object, target.kind, &target.key.namespace)?;
    if object["metadata"]["name"] != *key.name {
        let given = object["metadata"]["name"].as_str().unwrap_or_default();
        return Err(Refusal::bad_request(format!(
            "the name of the object ({given}) does not match the name on the URL ({})",
            key.name
        )));
    }
    let before = state.in_version(state.get(kind, key)?, kind)?;
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
    change(target, before, object, None)
}

/// Patches the object, except with a server-side apply.
fn patch(
    state: &State,
    target: &Target<'_>,
    format: Format,
    patch: &Value,
) -> Result<Draft, Refusal> {
    let (kind, key) = (target.kind, &target.key);
    let before = state.in_version(state.get(kind, key)?, kind)?;
    let mut object = before.clone();
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
    change(target, before, object, None)
}

/// Handles a server-side apply.
fn apply(state: &State, target: &Target<'_>, applied: &Value) -> Result<Draft, Refusal> {
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
    let before = state.objects.get(key);
    let before = before.map(|before| state.in_version(before, kind));
    let before = before.transpose()?;
    let is_new = before.is_none();
    let live = match &before {
        Some(before) => before.clone(),
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
    match before {
        None => new(state, target, object, |_, _| managers),
        Some(before) => change(target, before, object, Some(managers)),
    }
}

/// Validates a change of `before` to `object`, and returns its draft. `managers` is the field
/// ownership after an apply; with `None`, the writer becomes the owner of the changed fields.
fn change(
    target: &Target<'_>,
    before: Value,
    mut object: Value,
    managers: Option<Managers>,
) -> Result<Draft, Refusal> {
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
    keep_system_fields(target, &before, &mut object);
    if !old["deletionTimestamp"].is_null() {
        no_new_finalizers(kind, key, &before, &object)?;
    }
    fill_in(&mut object, kind);
    tidy(&mut object);
    let managers = managers.unwrap_or_else(|| {
        let mut managers = Managers::of(&before);
        managers.updated(
            &before,
            &object,
            &target.writer(ManagedOperation::Update),
            kind,
            &now(),
        );
        managers
    });
    write_managers(&managers, &before, &mut object);
    Ok(Draft {
        before: Some(before),
        object,
        managers,
    })
}

/// Restores what a write to the target cannot change: the status or everything else, and the
/// metadata of the API server. Other values of the metadata were rejected before, or are ignored.
fn keep_system_fields(target: &Target<'_>, before: &Value, object: &mut Value) {
    for name in ["apiVersion", "kind"] {
        object[name] = before[name].clone();
    }
    if target.subresource == "status" {
        let status = remove(object, "status");
        *object = before.clone();
        set_or_remove(object, "status", status);
    } else if target.kind.status {
        set_or_remove(object, "status", before.get("status").cloned());
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
        let value = before["metadata"].get(name).cloned();
        set_or_remove(&mut object["metadata"], name, value);
    }
}

/// Completes a changed object: its defaults, its generation and the owners of its fields. Webhooks
/// may have changed it, so the system fields are restored again.
fn complete_change(target: &Target<'_>, before: &Value, managers: &Managers, object: &mut Value) {
    let kind = target.kind;
    keep_system_fields(target, before, object);
    fill_in(object, kind);
    tidy(object);
    if kind.generation && desired_state(before, kind) != desired_state(object, kind) {
        let generation = &before["metadata"]["generation"];
        let generation = generation.as_i64().unwrap_or_default() + 1;
        object["metadata"]["generation"] = generation.into();
    }
    write_managers(managers, before, object);
}

/// Sets the owners of the fields of `object`, if they are not those of `before`.
fn write_managers(managers: &Managers, before: &Value, object: &mut Value) {
    if *managers != Managers::of(before) {
        managers.write_to(object);
    }
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
