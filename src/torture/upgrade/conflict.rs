//! Conflicting writers: finds the fields in which two versions that run at the same time overwrite
//! each other.

use std::collections::{BTreeMap, BTreeSet};

use crate::torture::api::call::Verb;
use crate::torture::journal::{self, JournalEntry, RecordedRequest};
use crate::torture::snapshot::{Mask, ObjectId, Snapshot};
use crate::torture::upgrade::change::{Effect, ObjectDifference};
use crate::torture::upgrade::oracle::{is_resource_of_kind, without_secrets};

/// The requests of two versions that run at the same time.
pub struct Overlap<'a> {
    /// The namespace of the run, which snapshots call `NAMESPACE`.
    pub namespace: &'a str,
    /// The objects of the old version before the new one started.
    pub before: &'a Snapshot,
    /// The requests of the old version. Their times count from the same start as those of `new`.
    pub old: &'a [JournalEntry],
    /// The requests of the new version.
    pub new: &'a [JournalEntry],
    /// The fields that differ between runs.
    pub mask: &'a Mask,
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Writer {
    Old,
    New,
}

/// An object, as a version has left it. The snapshot is empty if the version has deleted the
/// object.
struct Written {
    by: Writer,
    object: Snapshot,
}

impl Overlap<'_> {
    /// Returns a change for each field, and for each object, that one version sets, the other one
    /// changes, and then has its first value again. The state before the overlap counts as a write
    /// of the old version.
    pub fn changes(&self) -> Vec<ObjectDifference> {
        let mut changes = Vec::new();
        for (id, writes) in self.histories() {
            let mut conflicts: BTreeMap<String, (usize, ObjectDifference)> = BTreeMap::new();
            for three in writes.windows(3) {
                let [first, other, again] = three else {
                    continue;
                };
                let stays: BTreeSet<_> = first
                    .object
                    .differences(&again.object, self.mask)
                    .into_iter()
                    .map(|it| it.field)
                    .collect();
                for difference in first.object.differences(&other.object, self.mask) {
                    if stays.contains(&difference.field) {
                        continue;
                    }
                    let shown = without_secrets(&difference);
                    let (old, new) = match first.by {
                        Writer::Old => (shown.expected, shown.found),
                        Writer::New => (shown.found, shown.expected),
                    };
                    let field = difference.field;
                    let change =
                        ObjectDifference::new(Effect::ConflictingWrites, id.to_string(), &field)
                            .values(old, new);
                    conflicts.entry(field).or_insert((0, change)).0 += 1;
                }
            }
            changes.extend(conflicts.into_values().map(|(times, change)| {
                let times = match times {
                    1 => "once".to_owned(),
                    times => format!("{times} times"),
                };
                change.because(format!(
                    "while both versions run, one overwrites the other {times}"
                ))
            }));
        }
        changes
    }

    /// Returns the states in which the versions have left each object, in turn.
    fn histories(&self) -> BTreeMap<ObjectId, Vec<Written>> {
        let state = |(id, fields): (&ObjectId, _)| {
            let object = Snapshot(BTreeMap::from([(id.clone(), Clone::clone(fields))]));
            let by = Writer::Old;
            (id.clone(), vec![Written { by, object }])
        };
        let mut histories: BTreeMap<_, _> = self.before.0.iter().map(state).collect();
        let of = |by: Writer, entries| journal::timed(entries).map(move |(at, it)| (at, by, it));
        let mut all: Vec<_> = of(Writer::Old, self.old)
            .chain(of(Writer::New, self.new))
            .collect();
        all.sort_by_key(|(at, ..)| *at);
        for (_, by, request) in all {
            let Some((id, object)) = self.left_by(request, &histories) else {
                continue;
            };
            let writes = histories.entry(id).or_default();
            match writes.last_mut() {
                Some(last) if last.by == by => last.object = object,
                Some(last) if last.object == object => {}
                _ => writes.push(Written { by, object }),
            }
        }
        histories
    }

    /// Returns the object as a request has left it, or `None` if the request changes no named
    /// object.
    fn left_by<T>(
        &self,
        request: &RecordedRequest,
        known: &BTreeMap<ObjectId, T>,
    ) -> Option<(ObjectId, Snapshot)> {
        if !request.call.is_work() || !request.succeeded() {
            return None;
        }
        if request.call.verb == Verb::Delete {
            let name = request.name().replace(self.namespace, "NAMESPACE");
            let is_deleted = |id: &&ObjectId| {
                id.name == name && is_resource_of_kind(&id.kind, &request.call.resource)
            };
            return Some((known.keys().find(is_deleted)?.clone(), Snapshot::default()));
        }
        let metadata = &request.answer["metadata"];
        if !metadata["name"].is_string() || metadata["generateName"].is_string() {
            return None;
        }
        let object = Snapshot::of([&request.answer], self.namespace);
        let id = object.0.keys().next()?.clone();
        Some((id, object))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;
    use crate::torture::api::call::ApiCall;
    use crate::torture::journal::JournalEvent;

    const CONFIG: &str = "/api/v1/namespaces/t/configmaps/moo";

    fn config(data: &Value) -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "moo"}, "data": data})
    }

    fn write(at: u64, method: &str, answer: Value) -> JournalEntry {
        let call = ApiCall::parse(method, CONFIG).unwrap();
        let request = RecordedRequest {
            status: 200,
            answer,
            ..RecordedRequest::new(call, Value::Null)
        };
        JournalEntry {
            at: Duration::from_millis(at),
            step: 0,
            event: JournalEvent::Request(Box::new(request)),
        }
    }

    fn sets(at: u64, data: &Value) -> JournalEntry {
        write(at, "PATCH", config(data))
    }

    fn changes(old: &[JournalEntry], new: &[JournalEntry]) -> Vec<String> {
        let before = Snapshot::of([&config(&json!({"a": "1", "b": "1"}))], "t");
        let overlap = Overlap {
            namespace: "t",
            before: &before,
            old,
            new,
            mask: &Mask::default(),
        };
        let changes = overlap.changes();
        let text = |it: &ObjectDifference| format!("{} {} {it}", it.effect, it.object);
        changes.iter().map(text).collect()
    }

    #[test]
    fn a_field_that_both_versions_set_is_a_conflict() {
        let (one, two) = (json!({"a": "1", "b": "1"}), json!({"a": "2", "b": "1"}));
        let old = [sets(2, &one), sets(4, &one)];
        let new = [sets(1, &two), sets(3, &two), sets(5, &two)];
        assert_eq!(
            changes(&old, &new),
            [
                "conflicting-writes configmap/moo data.a: 1 -> 2; while both versions run, one overwrites the other 4 times"
            ]
        );
        assert_eq!(
            changes(&old[..1], &new[..1]),
            [
                "conflicting-writes configmap/moo data.a: 1 -> 2; while both versions run, one overwrites the other once"
            ]
        );
    }

    #[test]
    fn an_object_that_one_version_deletes_and_the_other_creates_is_a_conflict() {
        let one = json!({"a": "1", "b": "1"});
        let deleted = write(1, "DELETE", json!({"kind": "Status", "status": "Success"}));
        assert_eq!(
            changes(&[sets(2, &one)], &[deleted]),
            [
                "conflicting-writes configmap/moo there -> nothing; while both versions run, one overwrites the other once"
            ]
        );
    }

    #[test]
    fn a_change_that_stays_is_no_conflict() {
        let two = json!({"a": "2", "b": "1"});
        let further = json!({"a": "2", "b": "2"});
        // The old version writes what the new one has set, and then changes another field.
        assert_eq!(
            changes(&[sets(2, &two), sets(4, &further)], &[sets(1, &two)]),
            [""; 0]
        );
        // The standby writes nothing.
        assert_eq!(changes(&[sets(1, &two), sets(2, &further)], &[]), [""; 0]);
    }
}
