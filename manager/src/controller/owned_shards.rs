//! The objects that a controller reconciles with sharding: those of this replica's shards, each
//! shard as soon as all caches of the controller contain the writes of the previous shard owner.

use std::sync::Arc;

use futures::{Stream, StreamExt, future, stream};
use kube::{Client, runtime::reflector::ObjectRef};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::cache::{Cache, freshness::Freshness};
use crate::context::cause::Cause;
use crate::controller::runnable::Environment;
use crate::hash::HashMap;
use crate::object::AnyObject;
use crate::shards::{Shards, Working};

/// The shards of one controller's kind that this replica owns, as far as its caches contain every
/// write of the previous owners, so that their objects can be reconciled.
pub(crate) struct OwnedShards<K: AnyObject> {
    shards: Arc<Shards>,
    client: Client,
    main: Arc<Cache<K>>,
    /// For each shard the time of the previous owner's last possible write, and a client for its
    /// objects. The time also identifies the term of the shard: this replica may have lost the
    /// shard since, and taken it again.
    ready: Mutex<HashMap<u32, (Instant, Client)>>,
}

impl<K: AnyObject> OwnedShards<K> {
    /// Creates the state without any shard. Returns `None` without sharding: then the leader
    /// reconciles every object.
    pub fn of(environment: &Environment, main: &Arc<Cache<K>>) -> Option<Arc<Self>> {
        let shards = environment.shards.clone()?;
        Some(Arc::new(Self {
            shards,
            client: environment.client.clone(),
            main: main.clone(),
            ready: Mutex::default(),
        }))
    }

    /// Returns true if this replica may reconcile the object now: it owns the shard, and its caches
    /// are ready for it.
    pub fn has(&self, key: &ObjectRef<K>) -> bool {
        let Some(shard) = self.main.shard(key) else {
            return false;
        };
        let term = self.shards.term(shard);
        term.is_some_and(|term| self.is_ready(shard, term.quiet))
    }

    /// Begins to reconcile an object. Returns a guard, which keeps the shard on this replica until
    /// it is dropped, and a client that can write only while this replica owns the shard. Returns
    /// `None` if this replica does not own the shard, or its caches are not ready for it.
    pub fn begin(&self, key: &ObjectRef<K>) -> Option<(Working, Client)> {
        let shard = self.main.shard(key)?;
        let (quiet, client) = self.ready.lock().get(&shard).cloned()?;
        Some((self.shards.begin(shard, quiet)?, client))
    }

    /// Yields the objects of each shard that this replica has taken, once all caches of the
    /// controller, whose freshness is `all`, contain every write of the previous owner.
    pub fn starts(
        self: Arc<Self>,
        all: Vec<Arc<Freshness>>,
    ) -> impl Stream<Item = (ObjectRef<K>, Cause)> + Send {
        let taken = stream::unfold((self, all, None), async |(owned_shards, all, seen)| {
            let seen = owned_shards.shards.changed_after(seen).await;
            let keys = owned_shards.prepare(&all).await;
            Some((stream::iter(keys), (owned_shards, all, Some(seen))))
        });
        taken.flatten()
    }

    /// Waits until the shards that were taken can be reconciled, and returns their objects.
    async fn prepare(&self, all: &[Arc<Freshness>]) -> Vec<(ObjectRef<K>, Cause)> {
        let mut taken = self.shards.terms();
        taken.retain(|shard, term| !self.is_ready(*shard, term.quiet));
        let Some(moment) = taken.values().map(|term| term.quiet).max() else {
            return Vec::new();
        };
        future::join_all(all.iter().map(|known| known.reaches(moment))).await;
        let clients = taken
            .iter()
            .map(|(shard, term)| (*shard, (term.quiet, term.client(&self.client))));
        self.ready.lock().extend(clients);
        let mut keys = self.main.keys();
        keys.retain(|key| (self.main.shard(key)).is_some_and(|shard| taken.contains_key(&shard)));
        keys.into_iter().map(|key| (key, Cause::Start)).collect()
    }

    /// Returns true if the caches are ready for the term of a shard that began at `quiet`.
    fn is_ready(&self, shard: u32, quiet: Instant) -> bool {
        let ready = self.ready.lock();
        ready.get(&shard).is_some_and(|(since, _)| *since == quiet)
    }
}
