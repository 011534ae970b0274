//! Separates the watch events of the operator's own writes from those of others while a write is in
//! progress.
//!
//! The watch may report a write before its response arrives. So the changes of an object that a
//! field manager is writing are held back from that manager, until the response says which version
//! is its own write.

use std::sync::Arc;

use kube::runtime::reflector::ObjectRef;

use crate::cache::change::Change;
use crate::hash::HashMap;
use crate::object::{self, AnyObject};
use crate::planted::{Bug, is_planted};

/// The changes held back from each writer, for each write in progress.
pub(crate) struct PendingWrites<K: AnyObject> {
    kind: K::DynamicType,
    writes: HashMap<ObjectRef<K>, Vec<Write<K>>>,
    /// The number of the next write.
    next: u64,
}

struct Write<K> {
    /// Identifies the write, since a field manager may write an object several times at once.
    number: u64,
    /// The field manager that writes.
    by: String,
    /// The changes held back from it, in order.
    kept: Vec<Change<K>>,
}

impl<K: AnyObject> PendingWrites<K> {
    pub fn new(kind: K::DynamicType) -> Self {
        Self {
            kind,
            writes: HashMap::default(),
            next: 0,
        }
    }

    /// Returns true if no write is in progress.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Records that the field manager `by` starts to write an object. Returns the number of the
    /// write.
    pub fn begin(&mut self, key: ObjectRef<K>, by: &str) -> u64 {
        let number = self.next;
        self.next += 1;
        self.writes.entry(key).or_default().push(Write {
            number,
            by: by.to_owned(),
            kept: Vec::new(),
        });
        number
    }

    /// Holds back a change from `by` if it is writing the object. Returns true if the change was
    /// held back.
    pub fn keep(&mut self, change: &Change<K>, by: &str) -> bool {
        if self.is_empty() {
            return false;
        }
        let key = object::key_of(&self.kind, change.object().meta());
        let mut is_kept = false;
        for write in self.writes.get_mut(&key).into_iter().flatten() {
            if write.by == by {
                write.kept.push(change.clone());
                is_kept = true;
            }
        }
        is_kept
    }

    /// Returns the object in this version if its change was held back from the field manager `by`.
    pub fn held_back(&self, key: &ObjectRef<K>, by: &str, version: u64) -> Option<Arc<K>> {
        let writes = self.writes.get(key)?.iter().filter(|write| write.by == by);
        let mut kept = writes.flat_map(|write| &write.kept).map(Change::object);
        let found = kept.find(|object| object::version(object.meta()) == version);
        found.cloned()
    }

    /// Ends the write with this number, which created this version (0 if it failed). Returns the
    /// held-back changes of all other versions, which other writers made: the caller sends them.
    /// Changes that are also held back for another write of the same field manager stay there,
    /// since that write may have made them.
    pub fn end(&mut self, key: &ObjectRef<K>, number: u64, version: u64) -> Vec<Change<K>> {
        let Some(writes) = self.writes.get_mut(key) else {
            return Vec::new();
        };
        let at = writes.iter().position(|write| write.number == number);
        let Some(Write { by, mut kept, .. }) = at.map(|at| writes.remove(at)) else {
            return Vec::new();
        };
        let is_own = |change: &Change<K>| match change {
            Change::Applied { now, .. } => object::version(now.meta()) == version,
            Change::Removed(_) => false,
        };
        kept.retain(|change| !is_own(change));
        for other in writes.iter_mut().filter(|other| other.by == by) {
            other.kept.retain(|change| !is_own(change));
            let is_there = |change: &Change<K>| {
                let mut there = other.kept.iter().map(Change::object);
                there.any(|object| Arc::ptr_eq(object, change.object()))
            };
            kept.retain(|change| !is_there(change));
        }
        if writes.is_empty() {
            self.writes.remove(key);
        }
        if is_planted(Bug::ForeignChangeDropped) {
            kept.clear();
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::cache::tests::map;

    fn change(version: u64) -> Change<ConfigMap> {
        Change::Applied {
            before: None,
            now: Arc::new(map("a", version)),
        }
    }

    #[test]
    fn only_the_writer_and_only_its_own_version_are_spared() {
        let key = ObjectRef::from_obj(&map("a", 1));
        let mut pending_writes = PendingWrites::new(());
        assert!(!pending_writes.keep(&change(4), "op/me"));
        let write = pending_writes.begin(key.clone(), "op/me");
        assert!(pending_writes.keep(&change(5), "op/me"));
        assert!(pending_writes.keep(&change(6), "op/me"));
        assert!(!pending_writes.keep(&change(6), "op/other"));
        let held_back = |by, version| pending_writes.held_back(&key, by, version);
        assert_eq!(object::version(&held_back("op/me", 6).unwrap().metadata), 6);
        assert_eq!(
            (held_back("op/me", 7), held_back("op/other", 6)),
            (None, None)
        );
        let changes = pending_writes.end(&key, write, 6);
        let [Change::Applied { now, .. }] = &changes[..] else {
            panic!("{changes:?}");
        };
        assert_eq!(object::version(&now.metadata), 5);
        assert!(!pending_writes.keep(&change(7), "op/me"));
    }

    #[test]
    fn deletions_and_failed_writes_are_passed_on() {
        let key = ObjectRef::from_obj(&map("a", 1));
        let mut pending_writes = PendingWrites::new(());
        let write = pending_writes.begin(key.clone(), "op/me");
        assert!(pending_writes.keep(&change(5), "op/me"));
        assert!(pending_writes.keep(&Change::Removed(Arc::new(map("a", 5))), "op/me"));
        assert_eq!(pending_writes.end(&key, write, 0).len(), 2);
        assert!(pending_writes.is_empty());
    }

    #[test]
    fn changes_of_concurrent_writes_of_one_writer_are_its_own() {
        let key = ObjectRef::from_obj(&map("a", 1));
        let mut pending_writes = PendingWrites::new(());
        let versions = |changes: Vec<Change<ConfigMap>>| -> Vec<u64> {
            let objects = changes.iter().map(Change::object);
            objects.map(|it| object::version(&it.metadata)).collect()
        };
        let first = pending_writes.begin(key.clone(), "op/me");
        assert!(pending_writes.keep(&change(4), "op/me"));
        let second = pending_writes.begin(key.clone(), "op/me");
        for version in [5, 6, 7] {
            assert!(pending_writes.keep(&change(version), "op/me"));
        }
        assert!(pending_writes.held_back(&key, "op/me", 6).is_some());
        // The first write made version 5, the second one version 7.
        assert_eq!(versions(pending_writes.end(&key, first, 5)), [4]);
        assert_eq!(versions(pending_writes.end(&key, second, 7)), [6]);
        assert!(pending_writes.is_empty());
    }
}
