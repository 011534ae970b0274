//! Garbage collection of objects without owner, and of the contents of deleted namespaces. A real
//! cluster does this in the background, a moment later; here it is part of the write that causes
//! it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    delete::{Deletion, Propagation, delete},
    state::{Key, State},
    write::record_manager,
};

/// The field manager of these changes in a real cluster.
const CONTROLLER: &str = "kube-controller-manager";
const FOREGROUND: &str = "foregroundDeletion";
const ORPHAN: &str = "orphan";

/// Deletes the garbage in `state`, in single steps until nothing is left: objects whose owners no
/// longer exist, children of objects that are deleted in the foreground, and the contents of
/// deleted namespaces. Removes the finalizers that wait for this.
pub(super) fn collect(state: &mut State) {
    while let Some(next) = next(state) {
        match next {
            Next::Delete(key, propagation) => {
                let Some(kind) = state.kind_of(&key) else {
                    return;
                };
                let deletion = Deletion {
                    propagation: Some(propagation),
                    ..Deletion::default()
                };
                // an object that is gone in the meantime needs no delete
                let _ = delete(state, &kind, &key, &deletion);
            }
            Next::Remove(key) => state.remove(&key),
            Next::Change(key, mut object) => {
                let Some(kind) = state.kind_of(&key) else {
                    return;
                };
                record_manager(&state.objects[&key], &mut object, &kind, CONTROLLER);
                state.commit(key, object);
            }
        }
    }
}

/// One step.
enum Next {
    /// A delete request, which may leave the object waiting for its finalizers.
    Delete(Key, Propagation),
    /// The removal of an empty namespace.
    Remove(Key),
    /// A new value, without an owner or a finalizer.
    Change(Key, Value),
}

/// Returns the next step. `None` if nothing is left to collect.
fn next(state: &State) -> Option<Next> {
    let uids: BTreeSet<&str> = state
        .objects
        .values()
        .filter_map(|object| object["metadata"]["uid"].as_str())
        .collect();
    for (key, object) in &state.objects {
        let metadata = &object["metadata"];
        let is_going = !metadata["deletionTimestamp"].is_null();
        if key.plural == "namespaces" && is_going {
            if let Some(next) = emptied(state, key) {
                return Some(next);
            }
            continue;
        }
        if is_going && has_finalizer(object, ORPHAN) {
            let uid = &metadata["uid"];
            let mut children = state
                .objects
                .iter()
                .filter(|(_, child)| owners(child).any(|owner| owner["uid"] == *uid));
            return Some(match children.next() {
                Some((key, child)) => Next::Change(
                    key.clone(),
                    without_owners(child, |owner| owner["uid"] == *uid),
                ),
                None => Next::Change(key.clone(), without_finalizer(object, ORPHAN)),
            });
        }
        if is_going && has_finalizer(object, FOREGROUND) {
            let uid = &metadata["uid"];
            let is_child = |child: &Value| owners(child).any(|owner| owner["uid"] == *uid);
            let children: Vec<_> = state
                .objects
                .iter()
                .filter(|(_, child)| is_child(child))
                .collect();
            let stays = |child: &Value| child["metadata"]["deletionTimestamp"].is_null();
            if let Some((key, _)) = children.iter().find(|(_, child)| stays(child)) {
                return Some(Next::Delete((*key).clone(), Propagation::Foreground));
            }
            let blocks = |child: &Value| {
                owners(child)
                    .any(|owner| owner["uid"] == *uid && owner["blockOwnerDeletion"] == true)
            };
            if !children.iter().any(|(_, child)| blocks(child)) {
                return Some(Next::Change(
                    key.clone(),
                    without_finalizer(object, FOREGROUND),
                ));
            }
        }
        let lives = |owner: &Value| owner["uid"].as_str().is_some_and(|uid| uids.contains(uid));
        if !is_going && owners(object).next().is_some() {
            if !owners(object).any(lives) {
                return Some(Next::Delete(key.clone(), Propagation::Background));
            }
            if !owners(object).all(lives) {
                return Some(Next::Change(
                    key.clone(),
                    without_owners(object, |owner| !lives(owner)),
                ));
            }
        }
    }
    None
}

/// Returns the next step of the deletion of a namespace, which is removed once it is empty. `None`
/// while all of its objects wait for their finalizers.
fn emptied(state: &State, namespace: &Key) -> Option<Next> {
    let mut inside = state
        .objects
        .iter()
        .filter(|(key, _)| key.namespace == namespace.name)
        .peekable();
    if inside.peek().is_none() {
        return Some(Next::Remove(namespace.clone()));
    }
    let (key, _) = inside.find(|(_, object)| object["metadata"]["deletionTimestamp"].is_null())?;
    Some(Next::Delete(key.clone(), Propagation::Background))
}

fn owners(object: &Value) -> impl Iterator<Item = &Value> {
    object["metadata"]["ownerReferences"]
        .as_array()
        .into_iter()
        .flatten()
}

fn has_finalizer(object: &Value, name: &str) -> bool {
    let finalizers = object["metadata"]["finalizers"].as_array();
    finalizers.is_some_and(|finalizers| finalizers.iter().any(|known| *known == *name))
}

fn without_finalizer(object: &Value, name: &str) -> Value {
    without(object, "finalizers", |known| *known == *name)
}

fn without_owners(object: &Value, goes: impl Fn(&Value) -> bool) -> Value {
    without(object, "ownerReferences", goes)
}

fn without(object: &Value, list: &str, goes: impl Fn(&Value) -> bool) -> Value {
    let mut object = object.clone();
    if let Some(items) = object["metadata"][list].as_array_mut() {
        items.retain(|item| !goes(item));
        if items.is_empty()
            && let Some(metadata) = object["metadata"].as_object_mut()
        {
            metadata.remove(list);
        }
    }
    object
}
