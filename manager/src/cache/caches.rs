//! All caches of one kind: most often one, and several where controllers select different objects of it.

use std::sync::Arc;

use kube::{core::ObjectMeta, runtime::reflector::ObjectRef};

use crate::cache::{Cache, decoded::Decoded, entries::Settled, selection::Watch, write::Write};
use crate::object::{self, Object};

/// An object that several of them have is in each as new as its watch; the newest counts.
pub(crate) struct Caches<K: Object>(pub Vec<Arc<Cache<K>>>);

/// A write under way, in all of them.
pub(crate) struct Writes<K: Object>(Vec<Write<K>>);

impl<K: Object> Caches<K> {
    /// What is known, by caches that are complete.
    pub fn get(&self, key: &ObjectRef<K>) -> Option<(&Arc<Cache<K>>, Arc<K>)> {
        let complete = self.0.iter().filter(|cache| cache.is_synced());
        let found = complete.filter_map(|cache| Some((cache, cache.get(key)?)));
        found.max_by_key(|(_, object)| object::version(object.meta()))
    }

    /// Whether the API server serves the kind, by caches that are complete.
    pub fn is_served(&self) -> bool {
        let mut complete = self.0.iter().filter(|cache| cache.is_synced());
        complete.any(|cache| cache.served.is())
    }

    /// The cache that has every object of the kind, if there is one and it is complete.
    pub fn whole(&self) -> Option<&Arc<Cache<K>>> {
        self.of(&Watch::default())
    }

    /// The cache of just what is selected, if there is one and it is complete.
    pub fn of(&self, watch: &Watch) -> Option<&Arc<Cache<K>>> {
        let mut complete = self.0.iter().filter(|cache| cache.is_synced());
        complete.find(|cache| cache.watch == *watch)
    }

    pub fn write(&self, meta: &ObjectMeta, by: &str) -> Writes<K> {
        let write = |cache: &Arc<Cache<K>>| cache.write(super::key_of(meta), by);
        Writes(self.0.iter().map(write).collect())
    }

    pub fn settle(&self, key: &ObjectRef<K>, settled: Settled) {
        self.0.iter().for_each(|cache| cache.settle(key, settled));
    }

    pub fn doom(&self, doomed: &K) {
        self.0.iter().for_each(|cache| cache.doom(doomed));
    }
}

impl<K: Object> Writes<K> {
    /// Takes in what the API server returned, and returns the newest that is known.
    pub fn done(mut self, live: Decoded<K>) -> Arc<K> {
        let Some(last) = self.0.pop() else {
            return Arc::new(live.object);
        };
        let version = |known: &Arc<K>| object::version(known.meta());
        let others = self.0.into_iter().map(|write| write.done(live.clone()));
        let newest = others.max_by_key(version);
        let last = last.done(live);
        match newest {
            Some(newest) if version(&newest) > version(&last) => newest,
            _ => last,
        }
    }
}
