//! What the operator knows of one kind without asking: what its watches reported.
//!
//! Four things differ from a bare reflector. Several watches (one for each namespace) fill one
//! store. What the operator itself wrote is put into the store at once, so that the next reconcile
//! sees it even before the watch reports it, and an older report never replaces it. A change is
//! told together with the state before it, so that a predicate can compare. And of `managedFields`
//! only what the operator applied is kept.
//!
//! A complete list is the truth about its namespace, as of its version. What is known stands against it only
//! if it came after the list was begun and is newer. So nothing outlives what a list does not name, whatever
//! went wrong before, and what a database has that was restored from a backup is taken in although its
//! versions are older.

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
pub(crate) mod listing;
pub(crate) mod origin;
pub(crate) mod pending_writes;
pub(crate) mod reflector;
pub(crate) mod selection;
pub(crate) mod served;
#[cfg(feature = "shards")]
pub(crate) mod share;
pub(crate) mod trim;
pub(crate) mod trimmed;
pub(crate) mod turns;
pub(crate) mod undecoded;
pub(crate) mod watch_health;
pub(crate) mod watch_target;
pub(crate) mod write;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use futures::{Stream, stream};
use kube::{
    core::ObjectMeta,
    runtime::reflector::{ObjectRef, Store},
};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

use crate::cache::change::{Change, Scope};
use crate::cache::contents::Contents;
use crate::cache::decoded::Decoded;
use crate::cache::entries::{Entries, Settled};
use crate::cache::freshness::Freshness;
use crate::cache::index::KeysOf;
use crate::cache::listing::Listing;
pub(crate) use crate::cache::origin::Origin;
use crate::cache::pending_writes::PendingWrites;
use crate::cache::selection::Watch;
use crate::cache::served::Served;
use crate::cache::trim::{Scissors, Trim};
use crate::cache::turns::Turns;
use crate::object::{self, AnyObject};

pub(crate) struct Cache<K: AnyObject> {
    pub kind: K::DynamicType,
    /// Which objects of the kind it has.
    pub watch: Watch,
    trim: Option<Arc<Scissors<K>>>,
    inner: Mutex<Contents<K>>,
    /// All objects, once somebody wanted them.
    reader: OnceLock<Store<K>>,
    synced: CancellationToken,
    pub freshness: Arc<Freshness>,
    pub served: Served,
    /// Field managers that begin like this are the operator's own.
    field_managers: String,
    /// Of the controllers of the kind one at a time writes the status of an object.
    pub status_turns: Turns<ObjectRef<K>>,
}

impl<K: AnyObject> Cache<K> {
    /// An empty cache of `operator` for a kind that is complete once the watches of all `scopes` have listed what they
    /// watch.
    pub fn new(
        kind: K::DynamicType,
        operator: &str,
        watch: Watch,
        scopes: impl IntoIterator<Item = Scope>,
    ) -> Arc<Self> {
        let told: HashMap<_, _> = scopes.into_iter().map(|scope| (scope, None)).collect();
        Arc::new(Self {
            trim: watch.trim.as_ref().and_then(Trim::scissors),
            watch,
            freshness: Arc::new(Freshness::new(told.keys().cloned())),
            inner: Mutex::new(Contents {
                records: Entries::new(kind.clone()),
                listeners: Vec::new(),
                pending_writes: PendingWrites::new(kind.clone()),
                told,
            }),
            reader: OnceLock::new(),
            synced: CancellationToken::new(),
            served: Served::default(),
            kind,
            field_managers: field_managers(operator),
            status_turns: Turns::default(),
        })
    }

    /// What an object is called.
    pub fn key_of(&self, meta: &ObjectMeta) -> ObjectRef<K> {
        object::key_of(&self.kind, meta)
    }

    /// One object.
    pub fn get(&self, key: &ObjectRef<K>) -> Option<Arc<K>> {
        let found = self.inner.lock().records.find(key);
        found?.object()
    }

    /// What has become of an object. Where nothing has, it is not decoded anew.
    pub fn newest(&self, known: &Arc<K>) -> Option<Arc<K>> {
        let key = self.key_of(known.meta());
        let is_still = self.inner.lock().records.is_still(&key, known.meta());
        is_still.then(|| known.clone()).or_else(|| self.get(&key))
    }

    /// What every object is called.
    pub fn keys(&self) -> Vec<ObjectRef<K>> {
        let inner = self.inner.lock();
        inner.records.iter().map(|(key, _)| key.clone()).collect()
    }

    /// How many objects there are where a watch looks.
    pub fn count(&self, scope: &Scope) -> usize {
        let inner = self.inner.lock();
        let keys = inner.records.iter().map(|(key, _)| key);
        keys.filter(|key| scope.is_none() || key.namespace == *scope)
            .count()
    }

    /// Another number after each change of an object.
    pub fn revision(&self) -> u64 {
        self.inner.lock().records.revision
    }

    /// All objects, as JSON.
    pub fn texts(&self) -> impl Iterator<Item = Arc<str>>
    where
        K: Serialize,
    {
        // Not all of it under one lock: there may be many, and the watch must not wait for them.
        let found = |key| self.inner.lock().records.find(&key);
        self.keys()
            .into_iter()
            .filter_map(move |key| found(key)?.text())
    }

    /// Finds objects under what `keys_of` says of each from now on. The first index of a name stays.
    pub fn index(&self, name: &str, keys_of: KeysOf<K>) {
        self.inner.lock().records.index(name, keys_of);
    }

    /// What is found under `value` by an index. `None` if there is no such index.
    pub fn under(&self, index: &str, value: &str) -> Option<Vec<ObjectRef<K>>> {
        self.inner.lock().records.under(index, value)
    }

    /// All objects. From now on they are kept decoded.
    pub fn reader(&self) -> &Store<K> {
        self.reader
            .get_or_init(|| self.inner.lock().records.decoded())
    }

    #[cfg(feature = "inspect")]
    pub fn records<T>(&self, look: impl FnOnce(&Entries<K>) -> T) -> T {
        look(&self.inner.lock().records)
    }

    #[cfg(feature = "inspect")]
    pub fn scopes(&self) -> Vec<Scope> {
        self.inner.lock().told.keys().cloned().collect()
    }

    /// Returns once every watch has delivered its first list. (Of all who wait for kube's store to be
    /// ready only one is woken.)
    pub async fn synced(&self) {
        self.synced.cancelled().await;
    }

    /// True once it has.
    pub fn is_synced(&self) -> bool {
        self.synced.is_cancelled()
    }

    /// Every change from now on, once the cache is complete, but for what the field manager itself
    /// wrote.
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

    /// Tells all listeners what a watch reported.
    pub fn tell(&self, change: &Change<K>) {
        self.inner.lock().tell(change, None);
    }

    /// The fields of a live object that a field manager of the operator applied, as the API server
    /// recorded them.
    pub fn applied(&self, key: &ObjectRef<K>, manager: &str) -> Option<Value> {
        let inner = self.inner.lock();
        let fields = decoded::fields(&inner.records.record(key)?.applied, manager)?;
        serde_json::from_str(fields).ok()
    }

    /// The shard of an object that it has, where replicas share them.
    #[cfg(feature = "shards")]
    pub fn shard(&self, key: &ObjectRef<K>) -> Option<u32> {
        let inner = self.inner.lock();
        let uid = inner.records.record(key)?.uid();
        let share = self.watch.share.as_ref()?;
        Some(share.shard(uid, key.namespace.as_deref()))
    }

    /// Forgets what this replica does not keep any more.
    #[cfg(feature = "shards")]
    pub fn forget_others(&self, share: &share::Share) -> Vec<Change<K>> {
        let kept = share.kept();
        self.inner.lock().forget(|key, record| {
            !kept.contains(&share.shard(record.uid(), key.namespace.as_deref()))
        })
    }

    /// Whether something is left out of its objects.
    pub fn is_trimmed(&self) -> bool {
        self.trim.is_some()
    }

    /// How what a field manager applied to a live object looks, where not all of the object is here.
    pub fn look(&self, key: &ObjectRef<K>, manager: &str) -> Option<u64> {
        let inner = self.inner.lock();
        let mut looks = inner.records.record(key)?.looks.iter();
        Some(looks.find(|(name, _)| name == manager)?.1)
    }

    /// The state in which an object needed no apply when somebody looked last.
    pub fn settled(&self, key: &ObjectRef<K>) -> Option<Settled> {
        self.inner.lock().records.record(key)?.settled
    }

    /// Remembers it.
    pub fn settle(&self, key: &ObjectRef<K>, settled: Settled) {
        if let Some(record) = self.inner.lock().records.record_mut(key) {
            record.settled = Some(settled);
        }
    }

    /// Takes in what the API server returned for a write of the field manager `by`, unless the watch has told
    /// more by now, or none ever will, as of what is not selected. It is no news to that one, but to all others,
    /// since the watch will not tell of it any more.
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
        if !selected || inner.told(&key).is_none_or(|told| *told >= Some(version)) {
            return received.object;
        }
        let heard = inner.listeners.iter().any(|(manager, _)| manager != by);
        let before = if heard { inner.get(&key) } else { None };
        let now = inner.records.put(&key, received);
        if heard {
            let now = now.clone();
            inner.tell(&Change::Applied { before, now }, Some(by));
        }
        now
    }

    /// Takes in that the operator deleted an object: until the watch says that it is gone, it counts as
    /// one that is being deleted, whatever older news may still come.
    pub fn doom(&self, doomed: &K) {
        let meta = doomed.meta();
        self.inner
            .lock()
            .records
            .doom(&self.key_of(meta), meta.uid.as_deref());
    }

    /// True when what was reported of an object is no news: most often it is what the operator wrote.
    pub fn knows(&self, meta: &ObjectMeta, origin: Origin<'_>) -> bool {
        self.inner.lock().knows(&self.key_of(meta), meta, origin)
    }

    /// Keeps an object that was reported. `None` when nothing is new about it, or the first lists are not
    /// complete.
    pub fn offer(&self, received: Decoded<K>, origin: Origin<'_>) -> Option<Change<K>> {
        let received = self.ours(received);
        let key = self.key_of(received.object.meta());
        let mut inner = self.inner.lock();
        if inner.knows(&key, received.object.meta(), origin) {
            return None;
        }
        // After a restore everything is looked at as if for the first time.
        let compares = self.is_synced() && !origin.is_restored();
        let before = compares.then(|| inner.get(&key)).flatten();
        let now = inner.records.put(&key, received);
        self.is_synced().then_some(Change::Applied { before, now })
    }

    /// Forgets an object. `None` when it was not known, or what is known is newer than `meta`, or the first
    /// lists are not complete.
    pub fn remove(&self, meta: &ObjectMeta, origin: Origin<'_>) -> Option<Change<K>> {
        let key = self.key_of(meta);
        let mut inner = self.inner.lock();
        inner.hear(meta, origin);
        let known = inner.records.record(&key);
        if known.is_some_and(|record| origin.is_older(meta, record)) {
            return None;
        }
        let last = inner.records.take(&key)?;
        self.is_synced().then_some(Change::Removed(last))
    }

    /// A list is complete: what it did not name is gone. With the first list of the last watch the cache is
    /// complete.
    pub fn listed(&self, listing: Listing<K>) -> Vec<Change<K>> {
        let mut inner = self.inner.lock();
        let removed = inner.forget(|key, record| listing.misses(key, record));
        let begun = listing.snapshot.begun();
        self.freshness.knows(&listing.scope, begun);
        self.tells_all(&mut inner, listing.scope, listing.snapshot.version, removed)
    }

    /// The kind is not served, so there is nothing of it. (Its watch may have ended before it could tell of each
    /// object.) Where nobody requires the kind, that is all there is to know.
    pub fn unserved(&self, scope: &Scope, asked: Instant) -> Vec<Change<K>> {
        self.freshness.knows(scope, asked);
        let mut inner = self.inner.lock();
        let removed = inner.forget(|key, _| scope.is_none() || key.namespace == *scope);
        if self.served.is_required() {
            return if self.is_synced() {
                removed
            } else {
                Vec::new()
            };
        }
        self.tells_all(&mut inner, scope.clone(), 0, removed)
    }

    /// A watch has told everything up to a version. Returns what is gone, unless the first lists were not complete
    /// before.
    fn tells_all(
        &self,
        inner: &mut Contents<K>,
        scope: Scope,
        version: u64,
        gone: Vec<Change<K>>,
    ) -> Vec<Change<K>> {
        inner.told.insert(scope, Some(version));
        if self.is_synced() {
            return gone;
        }
        if inner.told.values().all(Option::is_some) {
            self.synced.cancel();
        }
        Vec::new()
    }

    /// What is kept of an object, and of what was applied to it only what this operator did.
    fn ours(&self, mut received: Decoded<K>) -> Decoded<K> {
        let is_ours = |manager: &String| manager.starts_with(&self.field_managers);
        received.applied.retain(|(manager, _)| is_ours(manager));
        match &self.trim {
            Some(scissors) => scissors.cut(received),
            None => received,
        }
    }
}

/// How the field managers of an operator begin; the name of a controller follows.
fn field_managers(operator: &str) -> String {
    format!("{operator}/")
}

/// The field manager of a controller.
pub(crate) fn field_manager(operator: &str, controller: &str) -> String {
    field_managers(operator) + controller
}

#[cfg(test)]
#[path = "cache_tests.rs"]
pub(crate) mod tests;
