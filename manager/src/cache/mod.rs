//! The cache of one kind, filled by watches.
//!
//! It differs from kube's reflector in four ways:
//!
//! - Several watches, one per namespace, fill one store.
//! - The operator's own writes are stored at once. The next reconcile reads them even if the watch
//!   has not reported them yet, and an older watch event never replaces them.
//! - A change is reported together with the previous state, so that predicates can compare the two.
//! - Of `managedFields`, only the entries of this operator's server-side applies are stored.
//!
//! A complete list is authoritative for its namespace at its resource version. A cached object
//! overrules it only if it was stored after the list was started and is newer. So an object that is
//! missing from a list never stays in the cache, and the state of a database that was restored from
//! a backup is accepted although its versions are older.

pub(crate) mod caches;
pub(crate) mod change;
mod contents;
pub(crate) mod decoded;
#[cfg(feature = "inspect")]
pub(crate) mod dump;
pub(crate) mod entries;
pub(crate) mod freshness;
pub(crate) mod index;
pub(crate) mod informer;
#[cfg(feature = "inspect")]
pub(crate) mod inspect;
pub(crate) mod interruption;
pub(crate) mod keyed_mutex;
pub(crate) mod kind_availability;
pub(crate) mod list_or_watch;
pub(crate) mod listing;
mod named;
mod names;
pub(crate) mod pending_writes;
pub(crate) mod reflector;
pub(crate) mod selection;
pub(crate) mod sharding;
pub(crate) mod trim;
pub(crate) mod trimmed;
pub(crate) mod undecoded;
pub(crate) mod watch_health;
pub(crate) mod watch_target;
pub(crate) mod write;

use std::sync::{Arc, OnceLock};

use futures::{Stream, stream};
use kube::{
    core::ObjectMeta,
    runtime::reflector::{ObjectRef, Store},
};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::cache::change::{Change, WatchScope};
use crate::cache::contents::Contents;
use crate::cache::decoded::Decoded;
use crate::cache::entries::{Entries, Settled};
use crate::cache::freshness::Freshness;
use crate::cache::index::KeysOf;
use crate::cache::keyed_mutex::KeyedMutex;
use crate::cache::kind_availability::KindAvailability;
pub(crate) use crate::cache::list_or_watch::ListOrWatch;
use crate::cache::listing::Listing;
use crate::cache::names::NamedObjects;
use crate::cache::pending_writes::PendingWrites;
use crate::cache::selection::Watch;
use crate::cache::trim::{Projection, Trim};
use crate::hash::HashMap;
use crate::object::{self, AnyObject};

/// The cache of one kind and selector, which all controllers with the same selector share.
pub(crate) struct Cache<K: AnyObject> {
    pub kind: K::DynamicType,
    /// Selects the objects in this cache.
    pub watch: Watch,
    /// The field projection; `None` if whole objects are cached.
    trim: Option<Arc<Projection<K>>>,
    inner: Mutex<Contents<K>>,
    /// All objects, decoded. Set by the first call of `reader`.
    reader: OnceLock<Store<K>>,
    /// Cancelled once every watch has completed its first list.
    synced: CancellationToken,
    /// The moment up to which the cache contains every write to the API server.
    pub freshness: Arc<Freshness>,
    /// Records if the API server serves the kind, as far as the watches of this cache know.
    pub availability: KindAvailability,
    /// Prefix of the names of this operator's field managers.
    field_managers: String,
    /// Ensures that only one controller at a time writes the status of an object.
    pub status_mutex: KeyedMutex<ObjectRef<K>>,
}

impl<K: AnyObject> Cache<K> {
    /// Returns an empty cache of a kind. It is synced once the watches of all `scopes` have
    /// completed their first list.
    pub fn new(
        kind: K::DynamicType,
        operator: &str,
        watch: Watch,
        scopes: impl IntoIterator<Item = WatchScope>,
    ) -> Arc<Self> {
        let watched_up_to: HashMap<_, _> = scopes.into_iter().map(|scope| (scope, None)).collect();
        Arc::new(Self {
            trim: watch.trim.as_ref().and_then(Trim::projection),
            freshness: Arc::new(Freshness::new(watched_up_to.keys().cloned())),
            inner: Mutex::new(Contents {
                records: Entries::new(kind.clone()),
                listeners: Vec::new(),
                pending_writes: PendingWrites::new(kind.clone()),
                watched_up_to,
                names: watch.by_name.then(NamedObjects::default),
            }),
            reader: OnceLock::new(),
            synced: CancellationToken::new(),
            availability: KindAvailability::default(),
            kind,
            watch,
            field_managers: field_managers(operator),
            status_mutex: KeyedMutex::default(),
        })
    }

    /// Returns the key of an object.
    pub fn key_of(&self, meta: &ObjectMeta) -> ObjectRef<K> {
        object::key_of(&self.kind, meta)
    }

    /// Returns an object, or `None` if it is not cached or cannot be decoded.
    pub fn get(&self, key: &ObjectRef<K>) -> Option<Arc<K>> {
        let found = self.inner.lock().records.find(key);
        found?.object()
    }

    /// Returns true if the cache contains an object.
    pub fn has(&self, key: &ObjectRef<K>) -> bool {
        self.inner.lock().records.record(key).is_some()
    }

    /// Returns the current state of the object whose earlier state is `known`; `None` if it is no
    /// longer cached. Returns `known` without decoding again if the object has not changed.
    pub fn newest(&self, known: &Arc<K>) -> Option<Arc<K>> {
        let key = self.key_of(known.meta());
        let is_still = self.inner.lock().records.is_still(&key, known.meta());
        is_still.then(|| known.clone()).or_else(|| self.get(&key))
    }

    /// Returns the keys of all objects.
    pub fn keys(&self) -> Vec<ObjectRef<K>> {
        let inner = self.inner.lock();
        inner.records.iter().map(|(key, _)| key.clone()).collect()
    }

    /// Returns the number of objects in the scope of a watch.
    pub fn count(&self, scope: &WatchScope) -> usize {
        let inner = self.inner.lock();
        let keys = inner.records.iter().map(|(key, _)| key);
        keys.filter(|key| scope.is_none() || key.namespace == *scope)
            .count()
    }

    /// Returns a number that increases with each change of an object.
    pub fn revision(&self) -> u64 {
        self.inner.lock().records.revision
    }

    /// Returns all objects as JSON.
    pub fn texts(&self) -> impl Iterator<Item = Arc<str>>
    where
        K: Serialize,
    {
        // The lock is taken once per object, because a watch must not wait until many objects are
        // read.
        let found = |key| self.inner.lock().records.find(&key);
        self.keys()
            .into_iter()
            .filter_map(move |key| found(key)?.text())
    }

    /// Adds an index by the values that `keys_of` returns for an object. Does nothing if an index
    /// of this name exists.
    pub fn index(&self, name: &str, keys_of: KeysOf<K>) {
        self.inner.lock().records.index(name, keys_of);
    }

    /// Returns the keys of the objects indexed under `value`. `None` if there is no such index.
    pub fn under(&self, index: &str, value: &str) -> Option<Vec<ObjectRef<K>>> {
        self.inner.lock().records.under(index, value)
    }

    /// Returns a store of all objects. From the first call on, objects are stored decoded.
    pub fn reader(&self) -> &Store<K> {
        self.reader
            .get_or_init(|| self.inner.lock().records.decoded())
    }

    /// Calls `read` with all entries while the cache is locked.
    #[cfg(feature = "inspect")]
    pub fn read_entries<T>(&self, read: impl FnOnce(&Entries<K>) -> T) -> T {
        read(&self.inner.lock().records)
    }

    /// Returns the scopes of all watches that fill the cache.
    #[cfg(feature = "inspect")]
    pub fn watch_scopes(&self) -> Vec<WatchScope> {
        self.inner.lock().watched_up_to.keys().cloned().collect()
    }

    /// Waits until every watch has completed its first list. (kube's `Store::wait_until_ready`
    /// wakes only one of several waiting tasks.)
    pub async fn synced(&self) {
        self.synced.cancelled().await;
    }

    /// Returns true once every watch has completed its first list.
    pub fn is_synced(&self) -> bool {
        self.synced.is_cancelled()
    }

    /// Returns a stream of all changes from now on, starting when the cache is synced, except the
    /// writes of `field_manager`.
    pub fn listen(&self, field_manager: &str) -> impl Stream<Item = Change<K>> + Send + use<K> {
        let (listener, changes) = unbounded_channel();
        self.inner
            .lock()
            .listeners
            .push((field_manager.to_owned(), listener));
        stream::unfold(changes, async |mut changes| {
            Some((changes.recv().await?, changes))
        })
    }

    /// Sends a change to all listeners.
    pub fn notify(&self, change: &Change<K>) {
        self.inner.lock().notify(change, None);
    }

    /// Returns the fields of a live object that a field manager of this operator applied, as
    /// recorded by the API server (`fieldsV1`). `None` if the object is not cached or the manager
    /// did not apply it.
    pub fn applied(&self, key: &ObjectRef<K>, manager: &str) -> Option<Value> {
        let inner = self.inner.lock();
        let fields = decoded::fields(&inner.records.record(key)?.applied, manager)?;
        serde_json::from_str(fields).ok()
    }

    /// Returns the shard of a cached object. `None` if the object is not cached or the kind is not
    /// sharded.
    pub fn shard(&self, key: &ObjectRef<K>) -> Option<u32> {
        let inner = self.inner.lock();
        let uid = inner.records.record(key)?.uid();
        let sharding = self.watch.sharding.as_ref()?;
        Some(sharding.shard(uid, key.namespace.as_deref()))
    }

    /// Removes the objects of all shards that this replica no longer caches, and returns the
    /// removals.
    pub fn forget_others(&self, sharding: &sharding::Sharding) -> Vec<Change<K>> {
        let kept = sharding.kept();
        self.inner.lock().forget(|key, record| {
            !kept.contains(&sharding.shard(record.uid(), key.namespace.as_deref()))
        })
    }

    /// Returns true if the objects of this cache are trimmed.
    pub fn is_trimmed(&self) -> bool {
        self.trim.is_some()
    }

    /// Returns the hash of the fields that a field manager applied to a live object. `None` if the
    /// cache does not trim objects, does not contain the object, or the manager did not apply it.
    pub fn applied_hash(&self, key: &ObjectRef<K>, manager: &str) -> Option<u64> {
        let inner = self.inner.lock();
        let mut applied_hashes = inner.records.record(key)?.applied_hashes.iter();
        Some(applied_hashes.find(|(name, _)| name == manager)?.1)
    }

    /// Returns the last state of an object that needed no apply; `None` if none is known.
    pub fn settled(&self, key: &ObjectRef<K>) -> Option<Settled> {
        self.inner.lock().records.record(key)?.settled
    }

    /// Stores the last state of an object that needed no apply. Does nothing if the object is not
    /// cached.
    pub fn settle(&self, key: &ObjectRef<K>, settled: Settled) {
        if let Some(record) = self.inner.lock().records.record_mut(key) {
            record.settled = Some(settled);
        }
    }

    /// Stores the response of the API server to a write of the field manager `by`, and sends the
    /// change to all other listeners, because the watch event of this write will be ignored.
    ///
    /// Returns the stored object, or the cached one if that is newer. Returns the response without
    /// storing it if the watch has already processed this version, or if the watch will never
    /// report the object because the selector does not match or no object names it.
    pub fn assume(&self, received: Decoded<K>, by: &str) -> Arc<K> {
        let received = self.ours(received);
        let meta = received.object.meta();
        let (key, version) = (self.key_of(meta), object::version(meta));
        let mut inner = self.inner.lock();
        if inner.records.is_still(&key, meta) {
            return received.object;
        }
        if inner.version(&key).is_some_and(|known| known >= version)
            && let Some(known) = inner.get(&key)
        {
            return known;
        }
        let selected = self.watch.selects(meta)
            || self.watch.may_select(meta) && inner.records.record(&key).is_some();
        let is_named = inner.names.as_ref().is_none_or(|names| names.has(&key));
        if !selected
            || !is_named
            || inner
                .watched_version_of(&key)
                .is_none_or(|watched| *watched >= Some(version))
        {
            return received.object;
        }
        let heard = inner.listeners.iter().any(|(manager, _)| manager != by);
        let before = if heard { inner.get(&key) } else { None };
        let now = inner.records.put(&key, received);
        if heard {
            let now = now.clone();
            inner.notify(&Change::Applied { before, now }, Some(by));
        }
        now
    }

    /// Records that the operator deleted an object. The object counts as being deleted until the
    /// watch reports its removal, even if older watch events still arrive.
    pub fn mark_deleted(&self, object: &K) {
        let meta = object.meta();
        self.inner
            .lock()
            .records
            .mark_deleted(&self.key_of(meta), meta.uid.as_deref());
    }

    /// Returns true if a reported state, or a newer one, is already cached. This is mostly the
    /// operator's own write. Records that the watch has reported it.
    pub fn advance_and_check(&self, meta: &ObjectMeta, origin: ListOrWatch<'_>) -> bool {
        self.inner
            .lock()
            .advance_and_check(&self.key_of(meta), meta, origin)
    }

    /// Stores a reported object. Returns `None` if the cache already had this state or a newer one,
    /// or if the cache is not synced.
    pub fn offer(&self, received: Decoded<K>, origin: ListOrWatch<'_>) -> Option<Change<K>> {
        let received = self.ours(received);
        self.put(&mut self.inner.lock(), received, origin)
    }

    /// Does the same as [`Cache::offer`] while the cache is locked.
    fn put(
        &self,
        inner: &mut Contents<K>,
        received: Decoded<K>,
        origin: ListOrWatch<'_>,
    ) -> Option<Change<K>> {
        let key = self.key_of(received.object.meta());
        if inner.advance_and_check(&key, received.object.meta(), origin) {
            return None;
        }
        // After a restore, every object is reported as if for the first time.
        let compares = self.is_synced() && !origin.is_restored();
        let before = compares.then(|| inner.get(&key)).flatten();
        let now = inner.records.put(&key, received);
        self.is_synced().then_some(Change::Applied { before, now })
    }

    /// Removes an object. Returns `None` if it was not cached, if the cached state is newer than
    /// `meta`, or if the cache is not synced.
    pub fn remove(&self, meta: &ObjectMeta, origin: ListOrWatch<'_>) -> Option<Change<K>> {
        let key = self.key_of(meta);
        let mut inner = self.inner.lock();
        inner.advance(meta, origin);
        let known = inner.records.record(&key);
        if known.is_some_and(|record| origin.is_older(meta, record)) {
            return None;
        }
        let last = inner.records.take(&key)?;
        self.is_synced().then_some(Change::Removed(last))
    }

    /// Completes a list: removes every object that the list does not contain, and returns the
    /// removals to report. The cache is synced after the first list of its last watch.
    pub fn listed(&self, listing: Listing<K>) -> Vec<Change<K>> {
        let mut inner = self.inner.lock();
        let removed = inner.forget(|key, record| listing.misses(key, record));
        let begun = listing.snapshot.begun();
        self.freshness.advance(&listing.scope, begun);
        self.mark_processed(&mut inner, listing.scope, listing.snapshot.version, removed)
    }

    /// Removes all objects in the scope, because the API server does not serve the kind. (The watch
    /// may have ended before it reported each removal.) If no controller requires the kind, this
    /// counts as a complete list. Returns the removals to report. `requested` is the time before
    /// the request that failed.
    pub fn unserved(&self, scope: &WatchScope, requested: Instant) -> Vec<Change<K>> {
        self.freshness.advance(scope, requested);
        let mut inner = self.inner.lock();
        let removed = inner.forget(|key, _| scope.is_none() || key.namespace == *scope);
        if self.availability.is_required() {
            return if self.is_synced() {
                removed
            } else {
                Vec::new()
            };
        }
        self.mark_processed(&mut inner, scope.clone(), 0, removed)
    }

    /// Records that a watch has processed everything up to a version. Returns the removals in
    /// `gone`, or nothing if the cache was not synced before.
    fn mark_processed(
        &self,
        inner: &mut Contents<K>,
        scope: WatchScope,
        version: u64,
        gone: Vec<Change<K>>,
    ) -> Vec<Change<K>> {
        inner.watched_up_to.insert(scope, Some(version));
        if self.is_synced() {
            return gone;
        }
        if inner.watched_up_to.values().all(Option::is_some) {
            self.synced.cancel();
        }
        Vec::new()
    }

    /// Drops server-side apply entries of other field managers, and trims the object if the cache
    /// does.
    fn ours(&self, mut received: Decoded<K>) -> Decoded<K> {
        let is_ours = |manager: &String| manager.starts_with(&self.field_managers);
        received.applied.retain(|(manager, _)| is_ours(manager));
        match &self.trim {
            Some(projection) => projection.cut(received),
            None => received,
        }
    }
}

/// Returns the prefix of the field manager names of an operator. The name of the controller follows
/// it.
fn field_managers(operator: &str) -> String {
    format!("{operator}/")
}

/// Returns the field manager name of a controller.
pub(crate) fn field_manager(operator: &str, controller: &str) -> String {
    field_managers(operator) + controller
}

#[cfg(test)]
#[path = "cache_tests.rs"]
pub(crate) mod tests;
