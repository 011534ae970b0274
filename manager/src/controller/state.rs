//! The state that the reconciles of one controller share and that the user's function does not see.

use std::sync::Arc;

use kube::runtime::reflector::ObjectRef;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::context::Shared;
#[cfg(feature = "shards")]
use crate::controller::sharing::Sharing;
use crate::controller::{failures::Failures, loops::Loops, metrics::ControllerMetrics};
use crate::object::AnyObject;

pub(crate) type Predicate<K> = Arc<dyn Fn(&K, &K) -> bool + Send + Sync>;

pub(crate) struct State<K: AnyObject> {
    pub shared: Arc<Shared<K>>,
    /// Decides which changes of the object lead to a reconcile.
    pub matters: Predicate<K>,
    pub metrics: ControllerMetrics,
    pub failures: Failures<ObjectRef<K>>,
    pub loops: Loops<ObjectRef<K>>,
    /// One permit for each object that may be reconciled at the same time.
    pub turns: Arc<Semaphore>,
    pub workers: Handle,
    #[cfg(feature = "shards")]
    pub sharing: Option<Arc<Sharing<K>>>,
    pub stop: CancellationToken,
}

#[cfg(feature = "shards")]
impl<K: AnyObject> State<K> {
    /// Returns true if the object belongs to this replica.
    pub fn works_on(&self, key: &ObjectRef<K>) -> bool {
        self.sharing.as_ref().is_none_or(|sharing| sharing.has(key))
    }
}
