//! Garbage collection of objects without owner, and of the contents of deleted namespaces. A real
//! cluster does this in the background, a moment later; here it is part of the write that causes
//! it.

use std::collections::{BTreeMap, BTreeSet};

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
    // Stays the same: a deleted CRD takes its objects with it.
    let unserved = unserved(state);
    while let Some(next) = next(state, &unserved) {
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

/// Returns the group and the plural of each kind that has objects and is not served.
fn unserved(state: &State) -> Vec<(String, String)> {
    let kinds = state.objects.keys().map(|key| (&key.group, &key.plural));
    let kinds: BTreeSet<_> = kinds.collect();
    kinds
        .into_iter()
        .filter(|(group, plural)| state.kinds.any_version(group, plural).is_none())
        .map(|(group, plural)| (group.clone(), plural.clone()))
        .collect()
}

/// Returns the next step. `None` if nothing is left to collect. Objects of `unserved` kinds stay as
/// they are.
fn next(state: &State, unserved: &[(String, String)]) -> Option<Next> {
    let uids: BTreeMap<&str, &Key> = state
        .objects
        .iter()
        .filter_map(|(key, object)| Some((object["metadata"]["uid"].as_str()?, key)))
        .collect();
    let served: Vec<_> = state
        .objects
        .iter()
        .filter(|(key, _)| {
            let mut unserved = unserved.iter();
            unserved.all(|(group, plural)| (group, plural) != (&key.group, &key.plural))
        })
        .collect();
    for &(key, object) in &served {
        let metadata = &object["metadata"];
        let is_going = !metadata["deletionTimestamp"].is_null();
        if key.plural == "namespaces" && is_going {
            if let Some(next) = emptied(&served, key) {
                return Some(next);
            }
            continue;
        }
        if is_going && has_finalizer(object, ORPHAN) {
            let uid = &metadata["uid"];
            let mut children = served
                .iter()
                .filter(|(_, child)| owners(child).any(|owner| owner["uid"] == *uid));
            return Some(match children.next() {
                Some(&(key, child)) => Next::Change(
                    key.clone(),
                    without_owners(child, |owner| owner["uid"] == *uid),
                ),
                None => Next::Change(key.clone(), without_finalizer(object, ORPHAN)),
            });
        }
        if is_going && has_finalizer(object, FOREGROUND) {
            let uid = &metadata["uid"];
            let is_child = |child: &Value| owners(child).any(|owner| owner["uid"] == *uid);
            let children: Vec<_> = served.iter().filter(|(_, child)| is_child(child)).collect();
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
        let lives = |owner: &Value| has_owner(state, &uids, key, owner);
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

/// Returns false if the garbage collector counts the owner of an owner reference of `child` as
/// absent: it does not exist, or it is in another namespace. A cluster-scoped object with a
/// namespaced owner is never collected.
fn has_owner(state: &State, uids: &BTreeMap<&str, &Key>, child: &Key, owner: &Value) -> bool {
    let text = |field: &str| owner[field].as_str().unwrap_or_default();
    if child.namespace.is_empty() {
        let kind = state.kinds.named(text("apiVersion"), text("kind"));
        return uids.contains_key(text("uid")) || kind.is_some_and(|kind| kind.namespaced);
    }
    uids.get(text("uid"))
        .is_some_and(|found| found.namespace.is_empty() || found.namespace == child.namespace)
}

/// Returns the next step of the deletion of a namespace, which is removed once it is empty. `None`
/// while all of its objects wait for their finalizers.
fn emptied(served: &[(&Key, &Value)], namespace: &Key) -> Option<Next> {
    let mut inside = served
        .iter()
        .copied()
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Adds an object of a kind of Kubernetes with a UID like its name, and with one owner.
    /// Returns its key.
    fn add(state: &mut State, plural: &str, namespace: &str, name: &str, owner: &Value) -> Key {
        let key = Key {
            group: String::new(),
            plural: plural.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        let owners: Vec<_> = owner.as_object().into_iter().collect();
        let metadata = json!({"name": name, "uid": name, "ownerReferences": owners});
        state.commit(key.clone(), json!({"metadata": metadata}));
        key
    }

    fn config_map(uid: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "name": uid, "uid": uid})
    }

    #[test]
    fn an_owner_in_another_namespace_counts_as_absent() {
        let mut state = State::new(0);
        let owner = add(&mut state, "configmaps", "default", "owner", &Value::Null);
        let near = add(
            &mut state,
            "secrets",
            "default",
            "near",
            &config_map("owner"),
        );
        let far = add(
            &mut state,
            "secrets",
            "kube-public",
            "far",
            &config_map("owner"),
        );
        let node = json!({"apiVersion": "v1", "kind": "Node", "name": "node", "uid": "node"});
        add(&mut state, "nodes", "", "node", &Value::Null);
        let of_node = add(&mut state, "secrets", "kube-public", "of-node", &node);
        collect(&mut state);
        let exists = |state: &State, key: &Key| state.objects.contains_key(key);
        assert!(exists(&state, &near) && exists(&state, &of_node) && !exists(&state, &far));
        state.remove(&owner);
        collect(&mut state);
        assert!(!exists(&state, &near) && exists(&state, &of_node));
    }

    #[test]
    fn a_cluster_scoped_object_is_not_collected_with_a_namespaced_owner() {
        let mut state = State::new(0);
        let owner = add(&mut state, "configmaps", "default", "owner", &Value::Null);
        let child = add(&mut state, "nodes", "", "child", &config_map("owner"));
        state.remove(&owner);
        collect(&mut state);
        assert!(state.objects.contains_key(&child));
    }

    #[test]
    fn objects_of_an_unserved_kind_do_not_stop_the_collection() {
        let mut state = State::new(0);
        let cow = add(&mut state, "cows", "default", "a", &config_map("gone"));
        let secret = add(&mut state, "secrets", "default", "b", &config_map("gone"));
        collect(&mut state);
        assert!(state.objects.contains_key(&cow) && !state.objects.contains_key(&secret));
    }
}
