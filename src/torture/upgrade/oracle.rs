//! The oracle of a rehearsal: derives the changes of an upgrade, with their effects, from snapshots
//! and from the requests of both versions. It does not need a cluster.
//!
//! After an upgrade, an old object must look like one that the new version creates for the same
//! spec, and the new version must write nothing beyond that. Four snapshots show it: the old
//! objects *before* and *after* the new version worked on them, and two of *fresh* objects, created
//! by the new version; what differs between these two is random and ignored.

use std::collections::{BTreeMap, BTreeSet};

use crate::torture::api::call::{Resource, Verb};
use crate::torture::api::field_manager::FieldManager;
use crate::torture::api::rejection;
use crate::torture::env::namespace::handed_over::LostValue;
use crate::torture::error::Error;
use crate::torture::journal::{self, JournalEntry, RecordedRequest};
use crate::torture::run::result::Symptom;
use crate::torture::snapshot::fields::Fields;
use crate::torture::snapshot::{Difference, Mask, ObjectId, Snapshot};
use crate::torture::upgrade::change::{Effect, ObjectDifference};

/// Kinds whose controllers replace Pods when the template changes. Not `ReplicaSet`: it creates
/// only missing Pods from a new template.
const ROLLING: [&str; 3] = ["DaemonSet", "Deployment", "StatefulSet"];

/// The Kubernetes kind whose controller creates and deletes Pods, but never replaces them.
const REPLICA_SET: &str = "ReplicaSet";

/// The texts with which the API server rejects a change of an immutable field.
const IMMUTABLE: [&str; 6] = [
    "immutable",
    "updates to statefulset spec for fields other than",
    "may not change once set",
    "may not be changed",
    "cannot be changed",
    "can not be changed",
];

/// The texts with which serde and Go report an object that does not decode.
const UNDECODABLE: [&str; 7] = [
    "missing field `",
    "unknown variant `",
    "unknown field `",
    "invalid type: ",
    "invalid value: ",
    "cannot unmarshal",
    "failed to decode",
];

/// The snapshots and requests from which the changes of one upgraded object are derived.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The custom resource of the scenario.
    pub subject: &'a ObjectId,
    /// The namespace of the run, which snapshots call `NAMESPACE`.
    pub namespace: &'a str,
    /// The objects of the old version under the new CRDs, before the new version started.
    pub before: &'a Snapshot,
    /// The same objects after the new version has settled.
    pub after: &'a Snapshot,
    /// The objects that the new version creates for the same spec, in two runs.
    pub fresh: [&'a Snapshot; 2],
    /// The differences that a restart of the old version made.
    pub restart: &'a [Difference],
    /// The requests of the new version.
    pub entries: &'a [JournalEntry],
    /// The requests of the old version.
    pub old_entries: &'a [JournalEntry],
}

impl Evidence<'_> {
    /// Returns the changes of the upgrade.
    pub fn changes(&self) -> Vec<ObjectDifference> {
        let refused = self.refused();
        let mut changes = self.written();
        changes.extend(self.recreated());
        changes.extend(self.ended_pods(&changes));
        changes.extend(self.lost_owners());
        changes.extend(self.old_finalizers());
        let unlike = self.unlike_fresh(&refused);
        changes.extend(self.old_managers(&unlike));
        changes.extend(unlike);
        changes.extend(refused);
        changes
    }

    /// Returns the fields and objects that the new version has changed.
    fn written(&self) -> Vec<ObjectDifference> {
        let mask = Mask::of_fields(self.restart);
        let by_restart = |it: &Difference| {
            let mut restart = self.restart.iter();
            it.field.is_empty() && restart.any(|other| other.id == it.id && other.field.is_empty())
        };
        self.before
            .differences(self.after, &mask)
            .into_iter()
            .filter(|it| !by_restart(it) && !is_list_of_its_own(&it.field))
            .map(|it| {
                let effect = effect(&it, self.after.0.get(&it.id));
                let reason = match (it.field.is_empty(), &it.expected) {
                    (true, Some(_)) => "the new version deletes it",
                    (true, None) => "the new version creates it",
                    _ => "",
                };
                let change = ObjectDifference::new(effect, it.id.to_string(), it.field.clone());
                if reason.is_empty() {
                    let shown = without_secrets(&it);
                    change.values(shown.expected, shown.found)
                } else {
                    change.because(reason)
                }
            })
            .collect()
    }

    /// Returns the objects that the new version has deleted and created again under their names.
    fn recreated(&self) -> Vec<ObjectDifference> {
        let requests: Vec<_> = self.managed_writes().collect();
        let is_created_after = |number: usize, deleted: &RecordedRequest| {
            requests[number + 1..].iter().any(|request| {
                request.status == 201
                    && request.call.resource == deleted.call.resource
                    && request.name() == deleted.name()
            })
        };
        let mut found = BTreeSet::new();
        for (number, request) in requests.iter().enumerate() {
            if request.call.verb == Verb::Delete
                && request.succeeded()
                && is_created_after(number, request)
                && let Some(id) = self.id_of(request, self.before)
                && self.after.0.contains_key(id)
            {
                found.insert(id);
            }
        }
        let changes = found.into_iter().map(|id| {
            ObjectDifference::new(effect_of_removal(&id.kind), id.to_string(), "")
                .because("the new version deletes it and creates it again")
        });
        changes.collect()
    }

    /// Returns the Pods that the new version deletes or evicts, except for those in `known`
    /// changes. Those of a workload are not in a snapshot, and an operator that replaces them
    /// itself restarts them without another change.
    fn ended_pods(&self, known: &[ObjectDifference]) -> Vec<ObjectDifference> {
        let mut ended = BTreeMap::new();
        for request in self.managed_writes().filter(|request| request.succeeded()) {
            let call = &request.call;
            if !call.resource.group.is_empty() || call.resource.plural != "pods" {
                continue;
            }
            let reason = match (call.verb, call.subresource.as_str()) {
                (Verb::Delete, "") => "the new version deletes it",
                (Verb::DeleteCollection, "") => "the new version deletes all that match a selector",
                (Verb::Create, "eviction") => "the new version evicts it",
                _ => continue,
            };
            let name = request.name().replace(self.namespace, "NAMESPACE");
            let object = if name.is_empty() {
                "pod".to_owned()
            } else {
                format!("pod/{name}")
            };
            ended.insert(object, reason);
        }
        let is_known = |object: &String| {
            known
                .iter()
                .any(|it| (&it.object, it.field.as_str()) == (object, ""))
        };
        ended
            .into_iter()
            .filter(|(object, _)| !is_known(object))
            .map(|(object, reason)| {
                ObjectDifference::new(Effect::RestartsPods, object, "").because(reason)
            })
            .collect()
    }

    /// Returns the writes that the API server rejects, except for those that it rejects in the old
    /// version, too.
    fn refused(&self) -> Vec<ObjectDifference> {
        let text = |request: &RecordedRequest| {
            let message = request.answer["message"].as_str().unwrap_or_default();
            message.replace(self.namespace, "NAMESPACE")
        };
        let key = |request: &RecordedRequest| {
            let resource = &request.call.resource;
            (
                resource.group.clone(),
                resource.plural.clone(),
                text(request),
            )
        };
        let known: BTreeSet<_> = journal::requests(self.old_entries)
            .filter(|(_, request)| is_rejected(request))
            .map(|(_, request)| key(request))
            .collect();
        let mut changes: Vec<ObjectDifference> = Vec::new();
        for request in self.managed_writes() {
            if !is_rejected(request) || known.contains(&key(request)) {
                continue;
            }
            let message = text(request);
            let lower = message.to_lowercase();
            let effect = if IMMUTABLE.iter().any(|it| lower.contains(it)) {
                Effect::RefusedAsImmutable
            } else {
                Effect::Refused
            };
            let object = self.object_of(request);
            let is_known = |it: &ObjectDifference| it.object == object && it.reason == message;
            if !changes.iter().any(is_known) {
                changes.push(ObjectDifference::new(effect, object, "").because(message));
            }
        }
        changes
    }

    /// Returns the children that have lost all of their owners, so that nothing deletes them.
    fn lost_owners(&self) -> Vec<ObjectDifference> {
        const FIELD: &str = "metadata.ownerReferences";
        let has_owner = |fields: &Fields| fields.keys().any(|field| field.starts_with(FIELD));
        let lost = self.after.0.iter().filter(|(id, fields)| {
            !has_owner(fields) && self.before.0.get(*id).is_some_and(has_owner)
        });
        lost.map(|(id, _)| {
            ObjectDifference::new(Effect::Orphaned, id.to_string(), FIELD).because(
                "the new version removes the owner: the child stays when the object is deleted",
            )
        })
        .collect()
    }

    /// Returns the finalizers of the old version that the new one neither sets nor removes.
    fn old_finalizers(&self) -> Vec<ObjectDifference> {
        let [fresh, _] = self.fresh;
        let mut changes = Vec::new();
        for (id, fields) in &self.after.0 {
            let (Some(before), Some(fresh)) = (self.before.0.get(id), fresh.0.get(id)) else {
                continue;
            };
            let [after, before, fresh] = [fields, before, fresh].map(finalizers);
            for old in after
                .intersection(&before)
                .filter(|it| !fresh.contains(*it))
            {
                let old = Some((*old).to_owned());
                changes.push(
                    ObjectDifference::new(Effect::Orphaned, id.to_string(), FINALIZERS)
                        .values(old.clone(), old)
                        .because("the new version does not set this finalizer: if it does not remove it either, the object cannot be deleted"),
                );
            }
        }
        changes
    }

    /// Returns the field managers of the old version that still own fields of an object which the
    /// new version writes under another name or by another operation. `unlike` are the differences
    /// from a fresh object, which show whether fields have stayed. Without server-side apply on
    /// either side, the owner of a field does not matter.
    fn old_managers(&self, unlike: &[ObjectDifference]) -> Vec<ObjectDifference> {
        let mut changes: Vec<ObjectDifference> = Vec::new();
        for request in self.managed_writes().filter(|it| sets_fields(it)) {
            let resource = &request.call.resource;
            let current = managers(self.entries, resource);
            let owners = FieldManager::owners(&request.answer);
            let old = managers(self.old_entries, resource);
            let mut left = old.difference(&current).filter(|it| owners.contains(*it));
            let object = self.object_of(request);
            let Some(old) = left.next().filter(|_| !is_about(&changes, &object)) else {
                continue;
            };
            let new = &request.manager;
            let has_left_fields = unlike.iter().any(|it| {
                (it.effect, &it.object) == (Effect::Orphaned, &object) && !it.field.is_empty()
            });
            let effect = if has_left_fields || old.applies || new.applies {
                Effect::Orphaned
            } else {
                Effect::Harmless
            };
            let (before, after) = if old.applies == new.applies {
                (old.name.clone(), new.name.clone())
            } else {
                (old.to_string(), new.to_string())
            };
            changes.push(
                ObjectDifference::new(effect, object, "metadata.managedFields")
                    .values(Some(before), Some(after))
                    .because(if effect == Effect::Harmless {
                        "neither version applies, so the owner of a field does not matter"
                    } else {
                        "the fields of the old field manager stay, even if the new version no longer sets them"
                    }),
            );
        }
        changes
    }

    /// Returns the objects and fields of the old version that differ from those that the new
    /// version creates itself. Objects with rejected writes are left out, since the rejection is
    /// the cause.
    fn unlike_fresh(&self, refused: &[ObjectDifference]) -> Vec<ObjectDifference> {
        let [fresh, other] = self.fresh;
        let mut mask = Mask::of_fields(self.restart);
        mask.hide(&fresh.differences(other, &Mask::default()));
        let differences = self.after.differences(fresh, &mask);
        let mut changes = Vec::new();
        for it in &differences {
            let object = it.id.to_string();
            if refused.iter().any(|refused| refused.object == object) {
                continue;
            }
            let was = self.before.0.get(&it.id);
            if it.field.is_empty() {
                match (&it.expected, was) {
                    (Some(_), Some(_)) if it.id != *self.subject => {
                        let reason = self.successor(&it.id).map_or_else(
                            || "the new version does not create it for a new object, and does not delete it".to_owned(),
                            |new| format!("it stays next to the new {new}"),
                        );
                        changes.push(
                            ObjectDifference::new(Effect::Orphaned, object, "").because(reason),
                        );
                    }
                    (None, _) => changes.push(
                        ObjectDifference::new(Effect::NotUpdated, object, "").because(
                            "it is missing: the new version creates it only for a new object",
                        ),
                    ),
                    _ => {}
                }
                continue;
            }
            let is_spec = it.id == *self.subject && it.field.starts_with("spec");
            if is_spec || it.is_timestamp_presence() || is_list_of_its_own(&it.field) {
                continue;
            }
            let is_unchanged = was.is_some_and(|was| was.get(&it.field) == it.expected.as_ref());
            if !is_unchanged {
                continue;
            }
            let is_left = it.expected.is_some() && it.found.is_none();
            let effect = match (it.field.starts_with("status"), is_left) {
                (true, true) => Effect::Harmless,
                (true, false) => continue,
                (false, true) => Effect::Orphaned,
                (false, false) => Effect::NotUpdated,
            };
            let Difference {
                expected: after,
                found: fresh,
                ..
            } = without_secrets(it);
            let change = ObjectDifference::new(effect, object, it.field.clone());
            changes.push(if is_left {
                change
                    .values(after.clone(), after)
                    .because("the field of the old version stays")
            } else {
                let fresh = fresh.unwrap_or_default();
                change
                    .values(after.clone(), after)
                    .because(format!("a new object has {fresh}"))
            });
        }
        changes
    }

    /// Returns the new object that replaces an old one: the first of its kind that the new version
    /// has created.
    fn successor(&self, old: &ObjectId) -> Option<&ObjectId> {
        let mut objects = self.after.0.keys();
        objects.find(|id| id.kind == old.kind && !self.before.0.contains_key(id))
    }

    /// Returns the requests with which the new version changed objects that it manages.
    fn managed_writes(&self) -> impl Iterator<Item = &RecordedRequest> {
        journal::requests(self.entries)
            .map(|(_, request)| request)
            .filter(|request| request.call.is_work())
    }

    fn id_of<'s>(&self, request: &RecordedRequest, state: &'s Snapshot) -> Option<&'s ObjectId> {
        let name = request.name().replace(self.namespace, "NAMESPACE");
        let mut objects = state.0.keys();
        objects.find(|id| id.name == name && is_resource_of_kind(&id.kind, &request.call.resource))
    }

    /// Returns the name of a request's object in reports: `statefulset/moo`, or
    /// `statefulsets.apps/moo` if it never existed.
    fn object_of(&self, request: &RecordedRequest) -> String {
        let id = self.id_of(request, self.before);
        let id = id.or_else(|| self.id_of(request, self.after));
        id.map_or_else(
            || {
                let name = request.name().replace(self.namespace, "NAMESPACE");
                format!("{}/{name}", request.call.resource)
            },
            ToString::to_string,
        )
    }
}

/// Adds to `changes` the objects that remain after the object was deleted under the new version.
/// `upgraded` and `fresh` are the states after the deletion of the upgraded object and of a fresh
/// one. The deletion also decides whether an old finalizer of the object is harmful. `rejection` is
/// the message with which the API server rejects the deletion; `None` if it does not.
pub fn add_deletion(
    changes: &mut Vec<ObjectDifference>,
    subject: &ObjectId,
    upgraded: &Snapshot,
    fresh: &Snapshot,
    rejection: Option<&str>,
) {
    let object = subject.to_string();
    let is_finalizer = |it: &ObjectDifference| it.object == object && it.field == FINALIZERS;
    if upgraded.0.contains_key(subject) {
        changes.retain(|it| !is_finalizer(it));
    } else {
        for change in changes.iter_mut().filter(|it| is_finalizer(it)) {
            change.effect = Effect::Harmless;
            "the new version removes it when the object is deleted".clone_into(&mut change.reason);
        }
    }
    if let Some(reason) =
        undeletable(subject, upgraded, rejection).filter(|_| !fresh.0.contains_key(subject))
    {
        // Its children stay because it does.
        changes.push(ObjectDifference::new(Effect::Orphaned, object, "").because(reason));
        return;
    }
    let left = upgraded.0.keys().filter(|id| !fresh.0.contains_key(*id));
    for id in left {
        let name = id.to_string();
        let is_known = |it: &ObjectDifference| {
            it.effect == Effect::Orphaned && it.object == name && it.field.is_empty()
        };
        if !changes.iter().any(is_known) {
            let reason = format!("it stays when {subject} is deleted");
            changes.push(ObjectDifference::new(Effect::Orphaned, name, "").because(reason));
        }
    }
}

/// Returns the reason for which the object still exists after its deletion; `None` if it does not
/// exist. `rejection` is the message with which the API server rejects the deletion.
fn undeletable(subject: &ObjectId, deleted: &Snapshot, rejection: Option<&str>) -> Option<String> {
    let finalizers: Vec<_> = finalizers(deleted.0.get(subject)?).into_iter().collect();
    Some(match rejection {
        Some(message) => format!("it still exists after its deletion: {message}"),
        None if finalizers.is_empty() => "it still exists after its deletion".to_owned(),
        None => stuck(&finalizers),
    })
}

/// Returns the reason for which the old version cannot delete the object after a rollback:
/// finalizers that it did not have before the upgrade. Returns `None` if it has none of these:
/// other finalizers, or an admission webhook that rejects deletions, may exist on purpose. `before`
/// is the state before the upgrade, `deleted` that after the deletion.
pub fn undeletable_after_rollback(
    subject: &ObjectId,
    before: &Snapshot,
    deleted: &Snapshot,
) -> Option<String> {
    let old = before.0.get(subject).map(finalizers).unwrap_or_default();
    let remaining = finalizers(deleted.0.get(subject)?);
    let new: Vec<_> = remaining.difference(&old).copied().collect();
    (!new.is_empty()).then(|| stuck(&new))
}

/// Returns the values of custom resources that the API server loses, each in the first API version
/// for which this holds.
pub fn lost_values(lost: &[LostValue]) -> Vec<ObjectDifference> {
    let mut changes: Vec<ObjectDifference> = Vec::new();
    for it in lost {
        let Difference {
            id,
            field,
            expected,
            found,
        } = it.difference.clone();
        let change = ObjectDifference::new(Effect::DeletesData, id.to_string(), field);
        let is_known = |known: &ObjectDifference| {
            (&known.object, &known.field) == (&change.object, &change.field)
        };
        if !changes.iter().any(is_known) {
            changes.push(change.values(expected, found).because(it.reason()));
        }
    }
    changes
}

fn stuck(finalizers: &[&str]) -> String {
    let finalizers = finalizers.join("`, `");
    format!("it cannot be deleted: nothing removes its finalizer `{finalizers}`")
}

/// Returns the lines of the new version's log about objects that it cannot decode, except for those
/// that the old version prints, too.
pub fn undecodable<'a>(log: &'a str, old_log: &str) -> Vec<&'a str> {
    let mut seen: BTreeSet<&str> = old_log.lines().filter_map(cause).collect();
    let lines = log.lines();
    lines
        .filter(|line| cause(line).is_some_and(|cause| seen.insert(cause)))
        .collect()
}

/// Returns the rest of a line after the text about decoding. Two lines with the same rest report
/// the same error.
fn cause(line: &str) -> Option<&str> {
    let after = |text: &&str| line.split_once(*text).map(|(_, after)| after);
    UNDECODABLE.iter().find_map(after)
}

/// Returns the changes for the symptoms of a run, except for `known` ones, which the operator also
/// has without the upgrade. `subject` is the object to which the report attributes a crash or a hot
/// loop.
pub fn symptoms(
    symptoms: &[Symptom],
    known: &[Symptom],
    subject: &ObjectId,
) -> Vec<ObjectDifference> {
    let is_known = |it: &Symptom| known.iter().any(|known| is_same_symptom(it, known));
    let new = symptoms.iter().filter(|it| !is_known(it));
    new.filter_map(|it| change_of(it, subject)).collect()
}

/// Reports whether two runs have the same symptom. Numbers in texts differ between runs: those of
/// namespaces, lines and times.
fn is_same_symptom(one: &Symptom, other: &Symptom) -> bool {
    let is_same = |one: &str, other: &str| {
        let is_text = |c: &char| !c.is_ascii_digit();
        one.chars()
            .filter(is_text)
            .eq(other.chars().filter(is_text))
    };
    match (one, other) {
        (Symptom::Panic(one), Symptom::Panic(other))
        | (Symptom::HotLoop(one, _), Symptom::HotLoop(other, _)) => is_same(one, other),
        (
            Symptom::WebhookFailed { webhook: one, .. },
            Symptom::WebhookFailed { webhook: other, .. },
        ) => one == other,
        (one, other) => one == other,
    }
}

/// Returns the change for a symptom; `None` if a snapshot shows it anyway.
fn change_of(symptom: &Symptom, subject: &ObjectId) -> Option<ObjectDifference> {
    let change = |effect, object: String, reason: String| {
        Some(ObjectDifference::new(effect, object, "").because(reason))
    };
    let subject = subject.to_string();
    match symptom {
        Symptom::Panic(message) => change(Effect::Crashes, subject, message.clone()),
        Symptom::Exited(status) => change(Effect::Crashes, subject, status.clone()),
        Symptom::Forbidden(permission) => {
            let reason = format!("the API server forbids {permission}");
            change(Effect::Forbidden, permission.to_string(), reason)
        }
        Symptom::HotLoop(call, count) => {
            let reason = format!("{count} times in a few seconds: {call}");
            change(Effect::HotLoop, subject, reason)
        }
        Symptom::WebhookFailed { webhook, message } => change(
            Effect::Refused,
            format!("webhook/{webhook}"),
            message.clone(),
        ),
        Symptom::RetainedClaim(_) | Symptom::StepRejected(_) => None,
    }
}

/// Returns the differences between the objects before the upgrade and after the rollback, except
/// for fields of `mask`, the status and finalizers. Additions of the new version are harmless;
/// values and objects that it changed or removed, and that the old version does not restore, are
/// `one-way`.
pub fn rollback_changes(before: &Snapshot, back: &Snapshot, mask: &Mask) -> Vec<ObjectDifference> {
    let differences = before.differences(back, mask).into_iter();
    differences
        .filter(|it| !it.field.starts_with("status") && !it.is_timestamp_presence())
        // The deletion shows whether a finalizer is harmful.
        .filter(|it| !it.field.starts_with(FINALIZERS))
        .map(|it| {
            let effect = if it.expected.is_some() {
                Effect::OneWay
            } else {
                Effect::Harmless
            };
            let change = ObjectDifference::new(effect, it.id.to_string(), it.field.clone());
            match (it.field.is_empty(), &it.expected) {
                (true, Some(_)) => {
                    change.because("it is missing after the old version has taken over again")
                }
                (true, None) => change.because("it stays when the old version takes over again"),
                _ => {
                    let shown = without_secrets(&it);
                    change
                        .values(shown.expected, shown.found)
                        .because("after the old version has taken over again")
                }
            }
        })
        .collect()
}

/// Returns the differences between the result of an upgrade, `reference`, and that of an upgrade
/// with a crash or a rolling update, `after`. `when` describes it: `after a rolling update`.
pub fn changes_after(
    reference: &Snapshot,
    after: &Snapshot,
    mask: &Mask,
    when: &str,
) -> Vec<ObjectDifference> {
    let differences = reference.differences(after, mask).into_iter();
    differences
        .map(|it| {
            let shown = without_secrets(&it);
            let reason = format!("{when}: {shown}");
            ObjectDifference::new(Effect::NotResumed, it.id.to_string(), it.field).because(reason)
        })
        .collect()
}

/// Returns the change for a version that does not start on the objects of the other one. `error` is
/// that of its run.
pub fn start_failure_change(error: &Error, subject: &ObjectId) -> ObjectDifference {
    let text = error.to_string();
    let effect = if undecodable(&text, "").is_empty() {
        Effect::Crashes
    } else {
        Effect::Unreadable
    };
    ObjectDifference::new(effect, subject.to_string(), "").because(text)
}

/// Returns the number of successful writes.
pub fn count_writes(entries: &[JournalEntry]) -> usize {
    let requests = journal::requests(entries).map(|(_, request)| request);
    requests
        .filter(|request| request.call.is_work() && request.succeeded())
        .count()
}

/// Returns the effect of a difference; `after` are the fields of the object after the upgrade.
fn effect(difference: &Difference, after: Option<&Fields>) -> Effect {
    let (kind, field) = (difference.id.kind.as_str(), difference.field.as_str());
    if field.is_empty() {
        return match difference.expected {
            Some(_) => effect_of_removal(kind),
            // The Pods that a policy selects lose all other traffic.
            None if kind == "NetworkPolicy" => Effect::ChangesTraffic,
            None => Effect::Harmless,
        };
    }
    let has = |name: &str, value: &str| {
        let found = after.and_then(|fields| fields.get(name));
        found.is_some_and(|found| found == value)
    };
    match kind {
        "Secret" if field.starts_with("data.") && difference.expected.is_some() => {
            Effect::DeletesData
        }
        // The kubelet restarts the container.
        "Pod" if field.starts_with("spec.") && field.ends_with("].image") => Effect::RestartsPods,
        REPLICA_SET if field == "spec.replicas" && is_reduced(difference) => Effect::RestartsPods,
        _ if !ROLLING.contains(&kind) => match kind {
            "Ingress" | "NetworkPolicy" | "Service" if field.starts_with("spec.") => {
                Effect::ChangesTraffic
            }
            _ => Effect::Harmless,
        },
        _ if field.starts_with("spec.template.") => {
            // Both settings keep the running Pods.
            if has("spec.updateStrategy.type", "OnDelete") || has("spec.paused", "true") {
                Effect::Harmless
            } else {
                Effect::RestartsPods
            }
        }
        _ if field == "spec.replicas" && is_reduced(difference) => Effect::RestartsPods,
        _ => Effect::Harmless,
    }
}

fn effect_of_removal(kind: &str) -> Effect {
    match kind {
        "PersistentVolume" | "PersistentVolumeClaim" | "Secret" => Effect::DeletesData,
        // Kinds of CRDs have a group in a snapshot, except for those of groups of Kubernetes, such
        // as `snapshot.storage.k8s.io`.
        _ if kind.contains('.') => Effect::DeletesData,
        "Job" | "Pod" => Effect::RestartsPods,
        _ if kind == REPLICA_SET || ROLLING.contains(&kind) => Effect::RestartsPods,
        "Ingress" | "NetworkPolicy" | "Service" => Effect::ChangesTraffic,
        _ => Effect::Removes,
    }
}

fn is_reduced(difference: &Difference) -> bool {
    let number = |value: &Option<String>| value.as_ref()?.parse::<i64>().ok();
    let [before, after] = [&difference.expected, &difference.found].map(number);
    before
        .zip(after)
        .is_some_and(|(before, after)| after < before)
}

const FINALIZERS: &str = "metadata.finalizers";

/// Reports whether a field belongs to a list whose entries have a check of their own, since their
/// indices mean nothing.
fn is_list_of_its_own(field: &str) -> bool {
    field.starts_with("metadata.ownerReferences") || field.starts_with(FINALIZERS)
}

fn finalizers(fields: &Fields) -> BTreeSet<&str> {
    let own = fields
        .iter()
        .filter(|(field, _)| field.starts_with(FINALIZERS));
    own.map(|(_, value)| value.as_str()).collect()
}

/// Returns a difference for the report, which must not contain the values of a Secret: `a value`
/// and `another value` replace them, also in annotations, in which tools keep copies.
pub(super) fn without_secrets(difference: &Difference) -> Difference {
    const PUBLIC: [&str; 6] = [
        "immutable",
        "metadata.deletionTimestamp",
        "metadata.finalizers",
        "metadata.labels",
        "metadata.ownerReferences",
        "type",
    ];
    let field = difference.field.as_str();
    let is_public = PUBLIC.iter().any(|public| {
        let rest = field.strip_prefix(public);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    });
    if difference.id.kind != "Secret" || field.is_empty() || is_public {
        return difference.clone();
    }
    let hidden = |value: &Option<String>, text: &str| value.as_ref().map(|_| text.to_owned());
    Difference {
        expected: hidden(&difference.expected, "a value"),
        found: hidden(&difference.found, "another value"),
        ..difference.clone()
    }
}

/// Reports whether the API server or a webhook rejects the request whenever it is sent.
fn is_rejected(request: &RecordedRequest) -> bool {
    let message = request.answer["message"].as_str().unwrap_or_default();
    let is_denied = request.status >= 400 && rejection::denying_webhook(message).is_some();
    !request.injected && request.call.is_work() && (request.is_refused() || is_denied)
}

/// Reports whether a request has set fields of an object itself.
fn sets_fields(request: &RecordedRequest) -> bool {
    let sets = matches!(request.call.verb, Verb::Create | Verb::Update | Verb::Patch);
    sets && request.call.subresource.is_empty() && request.succeeded()
}

/// Returns the field managers with which a version has set fields of objects of a kind.
fn managers(entries: &[JournalEntry], resource: &Resource) -> BTreeSet<FieldManager> {
    journal::requests(entries)
        .map(|(_, request)| request)
        .filter(|request| request.call.is_work() && sets_fields(request))
        .filter(|request| is_same_kind(&request.call.resource, resource))
        .map(|request| request.manager.clone())
        .collect()
}

fn is_about(changes: &[ObjectDifference], object: &str) -> bool {
    changes.iter().any(|it| it.object == object)
}

fn is_same_kind(one: &Resource, other: &Resource) -> bool {
    (&one.group, &one.plural) == (&other.group, &other.plural)
}

/// Reports whether a resource has this kind. A snapshot has no plural, so it is guessed as the code
/// generators do: `s`, `es`, `ies`, or the same word.
pub(super) fn is_resource_of_kind(kind: &str, resource: &Resource) -> bool {
    let (name, group) = kind.split_once('.').unwrap_or((kind, ""));
    let name = name.to_lowercase();
    let is_plural = resource.plural == format!("{name}s")
        || resource.plural == format!("{name}es")
        || name
            .strip_suffix('y')
            .is_some_and(|stem| resource.plural == format!("{stem}ies"))
        || resource.plural == name;
    is_plural && (group.is_empty() || group == resource.group)
}

#[cfg(test)]
mod tests;
