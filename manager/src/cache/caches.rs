//! All caches of one kind. There is usually one; controllers with different selectors have one
//! cache each.

use std::sync::Arc;

use kube::{core::ObjectMeta, runtime::reflector::ObjectRef};

use crate::cache::{Cache, decoded::Decoded, entries::Settled, selection::Watch};
use crate::cache::{undecoded::Undecoded, write::Write};
use crate::object::{self, AnyObject};

/// The caches of one kind, as one reader sees them. An object that is in several caches may have a
/// different version in each of them; the newest version counts.
pub(crate) struct Caches<K: AnyObject> {
    /// One cache for each selector and projection: all, or only the synced ones
    /// (`Informers::complete`).
    pub all: Vec<Arc<Cache<K>>>,
    /// The watches of the reader, if every one of them trims its objects: then only their caches
    /// are read. If empty, only caches with untrimmed objects are read.
    pub trimmed: Vec<Watch>,
}

/// One write in progress, registered in all caches of the kind. The flag is true for caches that
/// the writer reads. If it is dropped before [`Writes::done`], the write counts as failed.
pub(crate) struct Writes<K: AnyObject>(Vec<(Write<K>, bool)>);

impl<K: AnyObject> Caches<K> {
    /// Returns the caches that the reader reads.
    pub fn seen(&self) -> impl Iterator<Item = &Arc<Cache<K>>> {
        self.all.iter().filter(|cache| self.sees(cache))
    }

    /// Returns true if the reader reads this cache.
    fn sees(&self, cache: &Cache<K>) -> bool {
        if self.trimmed.is_empty() {
            !cache.is_trimmed()
        } else {
            self.trimmed.contains(&cache.watch)
        }
    }

    /// Returns true if any cache of the kind trims its objects.
    pub fn are_trimmed(&self) -> bool {
        self.all.iter().any(|cache| cache.is_trimmed())
    }

    /// Returns the newest version of an object in the synced caches, and its cache.
    pub fn get(&self, key: &ObjectRef<K>) -> Option<(&Arc<Cache<K>>, Arc<K>)> {
        let complete = self.seen().filter(|cache| cache.is_synced());
        let found = complete.filter_map(|cache| Some((cache, cache.get(key)?)));
        found.max_by_key(|(_, object)| object::version(object.meta()))
    }

    /// Returns true if, according to a synced cache, the API server serves the kind.
    pub fn is_served(&self) -> bool {
        let mut complete = self.all.iter().filter(|cache| cache.is_synced());
        complete.any(|cache| cache.availability.is_served())
    }

    /// Returns the synced cache that holds every object of the kind, if there is one.
    pub fn whole(&self) -> Option<&Arc<Cache<K>>> {
        let mut complete = self.seen().filter(|cache| cache.is_synced());
        complete.find(|cache| cache.watch.selects_all())
    }

    /// Returns true if the synced caches would contain the object of this key if it existed: one of
    /// them holds every object of the kind, or has read this object by name.
    pub fn cover(&self, key: &ObjectRef<K>) -> bool {
        let mut complete = self.seen().filter(|cache| cache.is_synced());
        self.whole().is_some() || complete.any(|cache| cache.has_read(key))
    }

    /// Returns true if all caches of the kind contain only named objects, or if it has none.
    pub fn are_by_name(&self) -> bool {
        self.all.iter().all(|cache| cache.watch.by_name)
    }

    /// Returns the synced cache of this selector, if there is one.
    pub fn of(&self, watch: &Watch) -> Option<&Arc<Cache<K>>> {
        let mut complete = self.seen().filter(|cache| cache.is_synced());
        complete.find(|cache| cache.watch == *watch)
    }

    /// Starts a write of an object by the field manager `by`, in all caches.
    pub fn write(&self, meta: &ObjectMeta, by: &str) -> Writes<K> {
        let write = |cache: &Arc<Cache<K>>| {
            let write = cache.write(cache.key_of(meta), by);
            (write, self.sees(cache))
        };
        Writes(self.all.iter().map(write).collect())
    }

    /// Records in all caches that an object needs no apply while it stays as described by
    /// `settled`.
    pub fn settle(&self, key: &ObjectRef<K>, settled: Settled) {
        self.all.iter().for_each(|cache| cache.settle(key, settled));
    }

    /// Records in all caches that the operator deleted an object; see [`Cache::mark_deleted`].
    pub fn mark_deleted(&self, object: &K) {
        self.all.iter().for_each(|cache| cache.mark_deleted(object));
    }
}

impl<K: AnyObject> Writes<K> {
    /// Does the same as [`Write::answer`], for each cache.
    pub fn answer(&self, answer: Undecoded<K>) -> Undecoded<K> {
        let writes = self.0.iter();
        writes.fold(answer, |answer, (write, _)| write.answer(answer))
    }

    /// Stores the response of the API server in all caches, and returns the newest version that the
    /// writer can read.
    pub fn done(self, live: Decoded<K>) -> Arc<K> {
        let (mut seen, others): (Vec<_>, Vec<_>) = self.0.into_iter().partition(|(_, seen)| *seen);
        for (write, _) in others {
            write.done(live.clone());
        }
        let Some((last, _)) = seen.pop() else {
            return live.object;
        };
        let version = |known: &Arc<K>| object::version(known.meta());
        let others = seen.into_iter().map(|(write, _)| write.done(live.clone()));
        let newest = others.max_by_key(version);
        let last = last.done(live);
        match newest {
            Some(newest) if version(&newest) > version(&last) => newest,
            _ => last,
        }
    }
}
