//! Field ownership: `metadata.managedFields`.

use serde_json::{Value, json};

use super::{fields::Fields, kinds::Kind, merge::merged, refusal::Refusal};

/// The field manager and operation of a write.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Writer {
    pub manager: String,
    pub operation: ManagedOperation,
    /// The `apiVersion` of the object in the request: `group/version`.
    pub api_version: String,
    /// `status`, or empty for the whole object.
    pub subresource: String,
}

/// The operation of a `managedFields` entry. `Update` is every write but a server-side apply.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Eq, Ord)]
pub(super) enum ManagedOperation {
    Apply,
    Update,
}

/// One entry: the fields that a writer owns.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    writer: Writer,
    /// The time at which the fields last changed (RFC 3339).
    time: String,
    fields: Fields,
}

/// All `managedFields` entries of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Managers(Vec<Entry>);

/// Fields that no manager owns.
const NOBODYS: [&[&str]; 10] = [
    &["f:apiVersion"],
    &["f:kind"],
    &["f:metadata", "f:creationTimestamp"],
    &["f:metadata", "f:deletionGracePeriodSeconds"],
    &["f:metadata", "f:deletionTimestamp"],
    &["f:metadata", "f:generation"],
    &["f:metadata", "f:name"],
    &["f:metadata", "f:namespace"],
    &["f:metadata", "f:resourceVersion"],
    &["f:metadata", "f:uid"],
];

/// Returns the fields without those that no manager owns.
fn owned(mut fields: Fields) -> Fields {
    for path in NOBODYS {
        fields.cut(path);
    }
    fields.cut(&["f:metadata", "f:managedFields"]);
    fields.cut(&["f:metadata", "f:selfLink"]);
    fields
}

impl Managers {
    /// Reads the entries of an object.
    pub fn of(object: &Value) -> Self {
        let entries = object["metadata"]["managedFields"].as_array();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let read = |entry: &Value| Entry {
            writer: Writer {
                manager: text(&entry["manager"]),
                operation: if entry["operation"] == "Apply" {
                    ManagedOperation::Apply
                } else {
                    ManagedOperation::Update
                },
                api_version: text(&entry["apiVersion"]),
                subresource: text(&entry["subresource"]),
            },
            time: text(&entry["time"]),
            fields: Fields::read(&entry["fieldsV1"]),
        };
        Self(entries.into_iter().flatten().map(read).collect())
    }

    /// Replaces the entries of an object by these, in the order of the API server.
    pub fn write_to(&self, object: &mut Value) {
        let mut entries: Vec<&Entry> = self
            .0
            .iter()
            .filter(|entry| !entry.fields.is_empty())
            .collect();
        entries.sort_by_key(|entry| (entry.writer.operation, &entry.time, &entry.writer.manager));
        let write = |entry: &Entry| {
            let writer = &entry.writer;
            let operation = format!("{:?}", writer.operation);
            let mut value = json!({
                "manager": writer.manager, "operation": operation, "apiVersion": writer.api_version,
                "time": entry.time, "fieldsType": "FieldsV1", "fieldsV1": entry.fields.write(),
            });
            if !writer.subresource.is_empty() {
                value["subresource"] = writer.subresource.clone().into();
            }
            value
        };
        if entries.is_empty() {
            if let Some(metadata) = object["metadata"].as_object_mut() {
                metadata.remove("managedFields");
            }
            return;
        }
        object["metadata"]["managedFields"] = entries.into_iter().map(write).collect();
    }

    /// Records an update of an object from `before` to `now`, at `time` (RFC 3339): the writer
    /// becomes the only owner of the changed fields, and removed fields have no owner.
    pub fn updated(
        &mut self,
        before: &Value,
        now: &Value,
        writer: &Writer,
        kind: &Kind,
        time: &str,
    ) {
        let (changed, gone) = Fields::differing(before, now, kind.shape());
        let (changed, gone) = (owned(changed), owned(gone));
        for entry in &mut self.0 {
            if entry.writer != *writer {
                entry.fields = entry.fields.without(&changed);
            }
            entry.fields = entry.fields.without(&gone);
        }
        if !changed.is_empty() {
            let mine = self.entry(writer, time);
            mine.fields.union(&changed);
            time.clone_into(&mut mine.time);
        }
        self.0.retain(|entry| !entry.fields.is_empty());
    }

    /// Returns the entry of a writer, a new one if it has none.
    fn entry(&mut self, writer: &Writer, time: &str) -> &mut Entry {
        let known = self.0.iter().position(|entry| entry.writer == *writer);
        let at = known.unwrap_or_else(|| {
            let entry = Entry {
                writer: writer.clone(),
                time: time.to_owned(),
                fields: Fields::default(),
            };
            self.0.push(entry);
            self.0.len() - 1
        });
        &mut self.0[at]
    }

    /// Applies `wanted` to `live` and returns the result, without the fields that the writer has
    /// applied before, no longer applies, and owns alone. Updates the entries; `time` is that of
    /// the writer's one (RFC 3339).
    ///
    /// # Errors
    /// 409 if a changed field has another owner, unless `force` is set: then the writer becomes its
    /// only owner.
    pub fn apply(
        &mut self,
        live: &Value,
        wanted: &Value,
        writer: &Writer,
        force: bool,
        kind: &Kind,
        time: &str,
    ) -> Result<Value, Refusal> {
        let shape = kind.shape();
        let mut mine = owned(Fields::applied(wanted, shape));
        if writer.subresource == "status" {
            mine.keep("f:status");
        } else if kind.status {
            mine.cut(&["f:status"]);
        }
        let mut result = merged(live, wanted, shape);

        // the version is not compared: an apply in another version replaces the entry
        let is_mine = |entry: &&Entry| {
            let (one, other) = (&entry.writer, writer);
            one.manager == other.manager
                && one.operation == other.operation
                && one.subresource == other.subresource
        };
        let previous = self
            .0
            .iter()
            .find(is_mine)
            .map(|entry| entry.fields.clone());
        let mut kept = mine.clone();
        for entry in self.0.iter().filter(|entry| !is_mine(entry)) {
            kept.union(&entry.fields);
        }
        let lost = previous.clone().unwrap_or_default().without(&kept);
        lost.remove_from(&mut result, shape);

        let (changed, _) = Fields::differing(live, &result, shape);
        let changed = owned(changed);
        let mut conflicts = Vec::new();
        for entry in self.0.iter().filter(|entry| !is_mine(entry)) {
            let paths = entry.fields.common(&changed).paths();
            conflicts.extend(
                paths
                    .into_iter()
                    .map(|path| (entry.writer.describe(), path)),
            );
        }
        if !force && !conflicts.is_empty() {
            conflicts.sort();
            return Err(Refusal::owned_by_others(&conflicts));
        }
        for entry in self.0.iter_mut().filter(|entry| !is_mine(&&**entry)) {
            entry.fields = entry.fields.without(&changed);
        }
        if previous.as_ref() != Some(&mine) {
            self.0.retain(|entry| !is_mine(&entry));
            self.0.push(Entry {
                writer: writer.clone(),
                time: time.to_owned(),
                fields: mine,
            });
        }
        self.0.retain(|entry| !entry.fields.is_empty());
        Ok(result)
    }
}

impl Writer {
    /// Describes the manager as in conflict messages, for example `"kubectl" using v1`.
    fn describe(&self) -> String {
        let mut text = Value::from(self.manager.as_str()).to_string();
        if !self.subresource.is_empty() {
            text = format!("{text} with subresource \"{}\"", self.subresource);
        }
        if self.operation == ManagedOperation::Update {
            text = format!("{text} using {}", self.api_version);
        }
        text
    }
}
