//! What a cache knows, and who hears of it.

use std::collections::HashMap;
use std::sync::Arc;

use kube::{core::ObjectMeta, runtime::reflector::ObjectRef};
use tokio::sync::mpsc::UnboundedSender;

use crate::cache::Origin;
use crate::cache::change::{Change, Scope};
use crate::cache::entries::{Entries, Record};
use crate::cache::pending_writes::PendingWrites;
use crate::object::{self, AnyObject};

/// All that is behind the lock of a cache.
pub(super) struct Contents<K: AnyObject> {
    pub records: Entries<K>,
    /// Who wants to hear of changes, each with its field manager.
    pub listeners: Vec<(String, UnboundedSender<Change<K>>)>,
    pub pending_writes: PendingWrites<K>,
    /// Up to which version each watch has told everything; `None` until its first list is complete.
    pub told: HashMap<Scope, Option<u64>>,
}

impl<K: AnyObject> Contents<K> {
    pub fn get(&self, key: &ObjectRef<K>) -> Option<Arc<K>> {
        self.records.find(key)?.object()
    }

    pub fn version(&self, key: &ObjectRef<K>) -> Option<u64> {
        self.records.record(key).map(|record| record.version)
    }

    /// Forgets what is gone.
    pub fn forget(&mut self, is_gone: impl Fn(&ObjectRef<K>, &Record) -> bool) -> Vec<Change<K>> {
        let gone = self.records.iter();
        let gone = gone.filter(|(key, record)| is_gone(key, record));
        let gone: Vec<_> = gone.map(|(key, _)| key.clone()).collect();
        let taken = gone.iter().filter_map(|key| self.records.take(key));
        taken.map(Change::Removed).collect()
    }

    /// What the watch of an object has told, if there is such a watch.
    pub fn told(&self, key: &ObjectRef<K>) -> Option<&Option<u64>> {
        let in_namespace = self.told.get(&key.namespace);
        in_namespace.or_else(|| self.told.get(&None))
    }

    /// The watch has told this much.
    pub fn hear(&mut self, meta: &ObjectMeta, origin: Origin<'_>) {
        if let Origin::Watch(scope) = origin
            && let Some(Some(told)) = self.told.get_mut(scope)
        {
            *told = object::version(meta).max(*told);
        }
    }

    /// True when this state of an object has come already, or a newer one.
    pub fn knows(&mut self, key: &ObjectRef<K>, meta: &ObjectMeta, origin: Origin<'_>) -> bool {
        self.hear(meta, origin);
        let record = self.records.record(key);
        record.is_some_and(|record| {
            record.is(meta) && !origin.is_restored() || origin.is_older(meta, record)
        })
    }

    /// Tells everyone who still listens, except one.
    pub fn tell(&mut self, change: &Change<K>, except: Option<&str>) {
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

    /// Tells one listener.
    pub fn tell_only(&self, change: &Change<K>, whom: &str) {
        let of_whom = |(manager, _): &&(String, _)| manager == whom;
        for (_, listener) in self.listeners.iter().filter(of_whom) {
            // one that listens no more is dropped with the next change for all
            let _ = listener.send(change.clone());
        }
    }
}
