//! The state that the reconciles of one controller share and that the user's function does not see.

use std::sync::Arc;

use kube::runtime::reflector::ObjectRef;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::context::Shared;
use crate::controller::owned_shards::OwnedShards;
use crate::controller::{failures::Failures, loops::LoopDetector, metrics::ControllerMetrics};
use crate::object::AnyObject;

/// A function of the old and the new state of an object that returns true if the change requires a
/// reconcile.
pub(crate) type Predicate<K> = Arc<dyn Fn(&K, &K) -> bool + Send + Sync>;

/// The state of one running controller, from its start until the process ends or loses the lease.
pub(crate) struct ControllerState<K: AnyObject> {
    /// The part that the contexts of all reconciles share.
    pub shared: Arc<Shared<K>>,
    /// The predicate for changes of the controller's own kind.
    pub predicate: Predicate<K>,
    /// The metrics with the controller's name as their label.
    pub metrics: Arc<ControllerMetrics>,
    /// The consecutive failures of each object.
    pub failures: Failures<ObjectRef<K>>,
    /// The recent reconciles of each object that may be part of a reconcile loop.
    pub loops: LoopDetector<ObjectRef<K>>,
    /// One permit for each object that may be reconciled at the same time.
    pub permits: Arc<Semaphore>,
    /// The runtime on which the user's function runs.
    pub workers: Handle,
    /// The shards whose objects this replica reconciles; `None` without sharding.
    pub owned_shards: Option<Arc<OwnedShards<K>>>,
    /// Cancelled when no new reconcile may start: the operator stops or has lost the lease.
    pub stop: CancellationToken,
}

impl<K: AnyObject> ControllerState<K> {
    /// Returns true if this replica may reconcile the object: with sharding, it owns the object's
    /// shard and its caches are ready for it. Always true without sharding.
    pub fn works_on(&self, key: &ObjectRef<K>) -> bool {
        self.owned_shards
            .as_ref()
            .is_none_or(|owned_shards| owned_shards.has(key))
    }
}
