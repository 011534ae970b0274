//! The state of a cache that is protected by its lock.

use std::sync::Arc;

use kube::{core::ObjectMeta, runtime::reflector::ObjectRef};
use tokio::sync::mpsc::UnboundedSender;

use crate::cache::ListOrWatch;
use crate::cache::change::{Change, WatchScope};
use crate::cache::entries::{Entries, Record};
use crate::cache::names::NamedObjects;
use crate::cache::pending_writes::PendingWrites;
use crate::hash::HashMap;
use crate::object::{self, AnyObject};

/// The state of a cache that is protected by its lock.
pub(super) struct Contents<K: AnyObject> {
    /// The objects.
    pub records: Entries<K>,
    /// Receivers of changes, each with the field manager of its controller.
    pub listeners: Vec<(String, UnboundedSender<Change<K>>)>,
    /// The writes in progress, with the changes that are held back from their writers.
    pub pending_writes: PendingWrites<K>,
    /// For each watch, the resource version up to which all its events were processed. `None` until
    /// its first list is complete.
    pub watched_up_to: HashMap<WatchScope, Option<u64>>,
    /// The named objects, if the cache contains only those.
    pub names: Option<NamedObjects<K>>,
}

impl<K: AnyObject> Contents<K> {
    /// Returns an object; `None` if it is not cached or cannot be decoded.
    pub fn get(&self, key: &ObjectRef<K>) -> Option<Arc<K>> {
        self.records.find(key)?.object()
    }

    /// Returns the resource version of an object as a number; `None` if it is not cached.
    pub fn version(&self, key: &ObjectRef<K>) -> Option<u64> {
        self.records.record(key).map(|record| record.version)
    }

    /// Removes all objects for which `is_gone` returns true, and returns their removals.
    pub fn forget(&mut self, is_gone: impl Fn(&ObjectRef<K>, &Record) -> bool) -> Vec<Change<K>> {
        let gone = self.records.iter();
        let gone = gone.filter(|(key, record)| is_gone(key, record));
        let gone: Vec<_> = gone.map(|(key, _)| key.clone()).collect();
        let taken = gone.iter().filter_map(|key| self.records.take(key));
        taken.map(Change::Removed).collect()
    }

    /// Returns the entry in `watched_up_to` of the watch that covers an object: that of its
    /// namespace or the cluster-wide one. `None` if no watch covers it.
    pub fn watched_version_of(&self, key: &ObjectRef<K>) -> Option<&Option<u64>> {
        let in_namespace = self.watched_up_to.get(&key.namespace);
        in_namespace.or_else(|| self.watched_up_to.get(&None))
    }

    /// Advances `watched_up_to` of the watch that sent an event about the object with the metadata
    /// `meta`. A list changes nothing here.
    pub fn advance(&mut self, meta: &ObjectMeta, origin: ListOrWatch<'_>) {
        if let ListOrWatch::Watch(scope) = origin
            && let Some(Some(version)) = self.watched_up_to.get_mut(scope)
        {
            *version = object::version(meta).max(*version);
        }
    }

    /// Returns true if this state of an object, or a newer one, is already in the cache. Advances
    /// `watched_up_to` of the watch.
    pub fn advance_and_check(
        &mut self,
        key: &ObjectRef<K>,
        meta: &ObjectMeta,
        origin: ListOrWatch<'_>,
    ) -> bool {
        self.advance(meta, origin);
        let record = self.records.record(key);
        record.is_some_and(|record| {
            record.is(meta) && !origin.is_restored() || origin.is_older(meta, record)
        })
    }

    /// Sends a change to all listeners except those of the field manager `except`. If the field
    /// manager of a listener is writing the object, the change is held back from it until the write
    /// ends. Removes closed listeners.
    pub fn notify(&mut self, change: &Change<K>, except: Option<&str>) {
        let Self {
            listeners,
            pending_writes,
            ..
        } = self;
        listeners.retain(|(manager, listener)| {
            let spared = Some(manager.as_str()) == except || pending_writes.keep(change, manager);
            (spared || listener.send(change.clone()).is_ok()) && !listener.is_closed()
        });
    }

    /// Sends a change to the listeners of one field manager.
    pub fn notify_only(&self, change: &Change<K>, whom: &str) {
        let of_whom = |(manager, _): &&(String, _)| manager == whom;
        for (_, listener) in self.listeners.iter().filter(of_whom) {
            // a closed listener is removed with the next change that is sent to all
            let _ = listener.send(change.clone());
        }
    }
}
