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
}

struct Write<K> {
    /// The field manager that writes.
    by: String,
    /// The changes held back from it, in order.
    kept: Vec<Change<K>>,
}

impl<K: AnyObject> PendingWrites<K> {
    pub fn new(kind: K::DynamicType) -> Self {
        let writes = HashMap::default();
        Self { kind, writes }
    }

    /// Returns true if no write is in progress.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Records that the field manager `by` starts to write an object.
    pub fn begin(&mut self, key: ObjectRef<K>, by: &str) {
        self.writes.entry(key).or_default().push(Write {
            by: by.to_owned(),
            kept: Vec::new(),
        });
    }

    /// Holds back a change from `by` if it is writing the object. Returns true if the change was
    /// held back.
    pub fn keep(&mut self, change: &Change<K>, by: &str) -> bool {
        if self.is_empty() {
            return false;
        }
        let key = object::key_of(&self.kind, change.object().meta());
        let writes = self.writes.get_mut(&key);
        let write = writes.and_then(|writes| writes.iter_mut().find(|write| write.by == by));
        let kept = write.map(|write| write.kept.push(change.clone()));
        kept.is_some()
    }

    /// Returns the object in this version if its change was held back from the field manager `by`.
    pub fn held_back(&self, key: &ObjectRef<K>, by: &str, version: u64) -> Option<Arc<K>> {
        let write = self.writes.get(key)?.iter().find(|write| write.by == by)?;
        let mut kept = write.kept.iter().map(Change::object).cloned();
        kept.find(|object| object::version(object.meta()) == version)
    }

    /// Ends a write of the field manager `by` that created this version (0 if it failed). Returns
    /// the held-back changes of all other versions, which other writers made: the caller sends
    /// them.
    pub fn end(&mut self, key: &ObjectRef<K>, by: &str, version: u64) -> Vec<Change<K>> {
        let Some(writes) = self.writes.get_mut(key) else {
            return Vec::new();
        };
        let at = writes.iter().position(|write| write.by == by);
        let mut kept = at.map_or_else(Vec::new, |at| writes.remove(at).kept);
        if writes.is_empty() {
            self.writes.remove(key);
        }
        kept.retain(|change| match change {
            Change::Applied { now, .. } => object::version(now.meta()) != version,
            Change::Removed(_) => true,
        });
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
        pending_writes.begin(key.clone(), "op/me");
        assert!(pending_writes.keep(&change(5), "op/me"));
        assert!(pending_writes.keep(&change(6), "op/me"));
        assert!(!pending_writes.keep(&change(6), "op/other"));
        let held_back = |by, version| pending_writes.held_back(&key, by, version);
        assert_eq!(object::version(&held_back("op/me", 6).unwrap().metadata), 6);
        assert_eq!(
            (held_back("op/me", 7), held_back("op/other", 6)),
            (None, None)
        );
        let changes = pending_writes.end(&key, "op/me", 6);
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
        pending_writes.begin(key.clone(), "op/me");
        assert!(pending_writes.keep(&change(5), "op/me"));
        assert!(pending_writes.keep(&Change::Removed(Arc::new(map("a", 5))), "op/me"));
        assert_eq!(pending_writes.end(&key, "op/me", 0).len(), 2);
        assert!(pending_writes.is_empty());
    }
}
