//! All caches of one kind: most often one, and several where controllers select different objects of it.

use std::sync::Arc;

use kube::{core::ObjectMeta, runtime::reflector::ObjectRef};

use crate::cache::{Cache, decoded::Decoded, entries::Settled, selection::Watch};
use crate::cache::{undecoded::Undecoded, write::Write};
use crate::object::{self, AnyObject};

/// An object that several of them have is in each as new as its watch; the newest counts.
pub(crate) struct Caches<K: AnyObject> {
    pub all: Vec<Arc<Cache<K>>>,
    /// The watches of whoever looks, where each of them leaves something out of the objects. Then these are all that
    /// is looked at, and else those that have whole objects.
    pub trimmed: Vec<Watch>,
}

/// A write under way in all of them, and whether that is one to look at.
pub(crate) struct Writes<K: AnyObject>(Vec<(Write<K>, bool)>);

impl<K: AnyObject> Caches<K> {
    /// Those to look at.
    pub fn seen(&self) -> impl Iterator<Item = &Arc<Cache<K>>> {
        self.all.iter().filter(|cache| self.sees(cache))
    }

    fn sees(&self, cache: &Cache<K>) -> bool {
        if self.trimmed.is_empty() {
            !cache.is_trimmed()
        } else {
            self.trimmed.contains(&cache.watch)
        }
    }

    /// Whether objects are trimmed in any of them.
    pub fn are_trimmed(&self) -> bool {
        self.all.iter().any(|cache| cache.is_trimmed())
    }

    /// What is known, by caches that are complete.
    pub fn get(&self, key: &ObjectRef<K>) -> Option<(&Arc<Cache<K>>, Arc<K>)> {
        let complete = self.seen().filter(|cache| cache.is_synced());
        let found = complete.filter_map(|cache| Some((cache, cache.get(key)?)));
        found.max_by_key(|(_, object)| object::version(object.meta()))
    }

    /// Whether the API server serves the kind, by caches that are complete.
    pub fn is_served(&self) -> bool {
        let mut complete = self.all.iter().filter(|cache| cache.is_synced());
        complete.any(|cache| cache.served.is())
    }

    /// The cache that has every object of the kind, if there is one and it is complete.
    pub fn whole(&self) -> Option<&Arc<Cache<K>>> {
        let mut complete = self.seen().filter(|cache| cache.is_synced());
        complete.find(|cache| cache.watch.selects_all())
    }

    /// The cache of just what is selected, if there is one and it is complete.
    pub fn of(&self, watch: &Watch) -> Option<&Arc<Cache<K>>> {
        let mut complete = self.seen().filter(|cache| cache.is_synced());
        complete.find(|cache| cache.watch == *watch)
    }

    pub fn write(&self, meta: &ObjectMeta, by: &str) -> Writes<K> {
        let write = |cache: &Arc<Cache<K>>| {
            let write = cache.write(cache.key_of(meta), by);
            (write, self.sees(cache))
        };
        Writes(self.all.iter().map(write).collect())
    }

    pub fn settle(&self, key: &ObjectRef<K>, settled: Settled) {
        self.all.iter().for_each(|cache| cache.settle(key, settled));
    }

    pub fn doom(&self, doomed: &K) {
        self.all.iter().for_each(|cache| cache.doom(doomed));
    }
}

impl<K: AnyObject> Writes<K> {
    /// As [`Write::answer`].
    pub fn answer(&self, answer: Undecoded<K>) -> Undecoded<K> {
        let writes = self.0.iter();
        writes.fold(answer, |answer, (write, _)| write.answer(answer))
    }

    /// Takes in what the API server returned, and returns the newest that is known.
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
