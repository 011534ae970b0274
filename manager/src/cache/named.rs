//! The objects of a cache that contains only objects which other objects name, such as the Secrets
//! in a spec.
//!
//! The cache's watch covers every object of the kind, but only its metadata, and it starts without
//! a list. So neither the start nor the memory depends on the number of unnamed objects: their
//! events are dropped as they arrive. A named object is read with a request of its own, first when
//! it is named, again when the watch reports a change, and again when the watch has a gap.
//!
//! A read and an event of the same object may overtake each other. So a read counts only if the
//! watch has not reported the object since the read began; if it has, the object is read again.
//! Changes after a read are reported, because an object is named before it is read.

use std::ops::ControlFlow;

use futures::{StreamExt, TryStreamExt, stream};
use kube::Client;
use kube::runtime::reflector::ObjectRef;
use tokio::time::Instant;

use crate::cache::change::{Change, WatchScope};
use crate::cache::decoded::Decoded;
use crate::cache::listing::Snapshot;
use crate::cache::reflector::log_malformed;
use crate::cache::undecoded::{Malformed, Undecoded};
use crate::cache::{Cache, ListOrWatch};
use crate::object::{self, AnyObject, KindOf};

/// Number of objects that are read at the same time.
const AT_ONCE: usize = 16;

/// A read in progress.
struct Reading {
    /// The number of the object's last event (`Named::event`) when the read began.
    event: u64,
    snapshot: Snapshot,
}

impl<K: AnyObject> Cache<K> {
    /// Names an object, which is in the cache once it was read. Each call needs a later call of
    /// [`Cache::unname`]. Does nothing if the cache does not contain named objects only.
    pub fn name(&self, key: &ObjectRef<K>) {
        if let Some(names) = &mut self.inner.lock().names {
            names.name(key);
        }
    }

    /// Removes an object from the cache if no other caller names it.
    pub fn unname(&self, key: &ObjectRef<K>) {
        let mut inner = self.inner.lock();
        if inner.names.as_mut().is_some_and(|names| names.unname(key)) {
            inner.records.take(key);
        }
    }

    /// Records that the watch has reported an object. Returns true if the object is named.
    pub fn record_named_event(&self, key: &ObjectRef<K>) -> bool {
        let names = &mut self.inner.lock().names;
        names.as_mut().is_some_and(|names| names.record_event(key))
    }

    /// Returns true if an object is named and was read, whether it exists or not.
    pub fn has_read(&self, key: &ObjectRef<K>) -> bool {
        let names = &self.inner.lock().names;
        let known = names.as_ref().and_then(|names| names.named.get(key));
        known.is_some_and(|known| known.is_read)
    }

    /// Returns true if a watch of this cache reports the objects of a namespace.
    pub fn watches_namespace(&self, namespace: Option<&str>) -> bool {
        let scopes = &self.inner.lock().watched_up_to;
        scopes.contains_key(&None) || scopes.contains_key(&namespace.map(str::to_owned))
    }

    /// Reads a named object from the API server into the cache. Returns its change if it had been
    /// read before; `None` for the first read, and if nothing changed or the object is no longer
    /// named.
    pub async fn read(
        &self,
        client: &Client,
        key: &ObjectRef<K>,
    ) -> Result<Option<Change<K>>, kube::Error> {
        self.read_after(client, key, false).await
    }

    /// Reads all named objects in the scope of a watch, and returns the changes. `restored` is true
    /// if resource versions went back. Until this is complete, events of the objects do not count.
    pub async fn read_all(
        &self,
        client: &Client,
        scope: &WatchScope,
        restored: bool,
    ) -> Result<Vec<Change<K>>, kube::Error> {
        let read = |key: ObjectRef<K>| async move {
            self.record_named_event(&key);
            self.read_after(client, &key, restored).await
        };
        let reads = stream::iter(self.named(scope)).map(read);
        let changes: Vec<_> = reads.buffer_unordered(AT_ONCE).try_collect().await?;
        Ok(changes.into_iter().flatten().collect())
    }

    /// Records that the watch of a scope starts at `version`, and that all its named objects were
    /// read after `begun`.
    pub fn watches_from(&self, scope: &WatchScope, version: u64, begun: Instant) {
        self.freshness.advance(scope, begun);
        let mut inner = self.inner.lock();
        self.mark_processed(&mut inner, scope.clone(), version, Vec::new());
    }

    /// Returns the keys of the named objects in the scope of a watch.
    fn named(&self, scope: &WatchScope) -> Vec<ObjectRef<K>> {
        let inner = self.inner.lock();
        let named = inner.names.iter().flat_map(|names| names.named.keys());
        let is_inside = |key: &&ObjectRef<K>| scope.is_none() || key.namespace == *scope;
        named.filter(is_inside).cloned().collect()
    }

    /// Reads a named object, and again as long as the watch reports it in the meantime. `restored`
    /// is true if resource versions went back.
    async fn read_after(
        &self,
        client: &Client,
        key: &ObjectRef<K>,
        restored: bool,
    ) -> Result<Option<Change<K>>, kube::Error> {
        let namespace = key.namespace.as_deref();
        let api = self.kind.api::<Undecoded<K>>(client.clone(), namespace);
        // An invalid name would lead to another path of the API server.
        let can_exist = is_path_segment(&key.name) && namespace.is_none_or(is_path_segment);
        while let Some(mut reading) = self.begin_reading(key) {
            reading.snapshot.restored = restored;
            let found = if can_exist {
                api.get_opt(&key.name).await?
            } else {
                None
            };
            if let ControlFlow::Break(change) = self.end_reading(key, &reading, found) {
                return Ok(change);
            }
        }
        Ok(None)
    }

    /// Starts a read of an object. Returns `None` if the object is no longer named.
    fn begin_reading(&self, key: &ObjectRef<K>) -> Option<Reading> {
        let inner = self.inner.lock();
        let named = inner.names.as_ref()?.named.get(key)?;
        Some(Reading {
            event: named.event,
            snapshot: Snapshot::default(),
        })
    }

    /// Stores the object that was read, or its absence, and breaks with the change, if it had been
    /// read before. Continues, without storing, if the watch has reported the object in the
    /// meantime.
    fn end_reading(
        &self,
        key: &ObjectRef<K>,
        reading: &Reading,
        found: Option<Undecoded<K>>,
    ) -> ControlFlow<Option<Change<K>>> {
        let found = found.and_then(|found| self.decode_named(found));
        let mut inner = self.inner.lock();
        let names = inner.names.as_mut();
        let known = names.and_then(|names| names.named.get_mut(key));
        let Some(known) = known.filter(|known| known.event == reading.event) else {
            return ControlFlow::Continue(());
        };
        let had_read = std::mem::replace(&mut known.is_read, true);
        let mut snapshot = reading.snapshot;
        let change = if let Some(found) = found {
            snapshot.version = object::version(found.object.meta());
            self.put(&mut inner, found, ListOrWatch::List(snapshot))
        } else {
            let record = inner.records.record(key);
            let is_gone = record.is_some_and(|record| !snapshot.is_outlived_by(record));
            let last = is_gone.then(|| inner.records.take(key)).flatten();
            last.map(Change::Removed)
        };
        ControlFlow::Break(change.filter(|_| had_read))
    }

    /// Decodes an object that was read. Returns `None` for an object that does not fit its type, as
    /// if it did not exist.
    fn decode_named(&self, found: Undecoded<K>) -> Option<Decoded<K>> {
        match found.decode(&self.kind) {
            Ok(found) => Some(self.ours(found)),
            Err(malformed) => {
                let Malformed { meta, error } = *malformed;
                log_malformed(&K::kind(&self.kind), &meta, &error);
                None
            }
        }
    }
}

/// Returns false for a name that no object can have.
fn is_path_segment(name: &str) -> bool {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "-._:".contains(c);
    !name.is_empty() && name != "." && name != ".." && name.chars().all(is_safe)
}
