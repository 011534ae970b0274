//! Controllers and tasks that run while the operator leads, and their environment.

use std::sync::Arc;

use futures::future::BoxFuture;
use kube::Client;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::cache::selection::Watch;
use crate::cache::{informer::Informers, interruption::Interruptions};
use crate::controller::metrics::Metrics;
use crate::controller::preflight::Needs;
use crate::events::Events;
use crate::http::health::Health;
use crate::shards::{FIRST, Shards};
use crate::shared_state::{Required, SharedState};

/// The parts of the process that a controller or a task uses.
pub(crate) struct Environment {
    /// The name of the operator: the prefix of its field managers, and the label of its children.
    pub operator: String,
    /// A client whose writes fail while this replica does not hold the Lease. With sharding that is
    /// the Lease that all replicas hold together; for writes about the objects of one shard, use
    /// `Term::client`, whose writes also need the Lease of the shard.
    pub client: Client,
    /// The runtime on which reconciles run.
    pub workers: Handle,
    /// The namespaces that the operator watches; empty for all.
    pub namespaces: Vec<String>,
    /// Number of objects per page of a list.
    pub page: u32,
    /// The caches, which controllers that watch the same kind share.
    pub informers: Arc<Informers>,
    pub events: Arc<Events>,
    /// The metrics of reconciles.
    pub metrics: Arc<Metrics>,
    /// The metric that counts interrupted watches.
    pub interruptions: Interruptions,
    pub health: Health,
    /// The values of [`Manager::with_state`](crate::Manager::with_state).
    pub state: Arc<SharedState>,
    /// The shards of this replica; `None` without sharding.
    pub shards: Option<Arc<Shards>>,
    /// Cancelled when the operator stops or loses the lease.
    pub stop: CancellationToken,
}

impl Environment {
    /// Waits until this replica leads (with sharding: owns the first shard), and returns a client
    /// that can write only as long as it does. For code that may run in one replica only.
    pub async fn lead(&self) -> Client {
        if let Some(shards) = &self.shards {
            return shards.wait_for_term(FIRST).await.client(&self.client);
        }
        self.informers.replica_state.wait_until_leading().await;
        self.client.clone()
    }

    /// Limits the watch of the first kind in `needs`, the controller's own, to this replica's
    /// shards. Changes nothing without sharding.
    pub fn limit_to_shards(&self, mut needs: Needs) -> Needs {
        if let (Some(shards), Some(own)) = (&self.shards, needs.kinds.first_mut()) {
            own.watch = Watch::shared(shards.sharding.clone());
        }
        needs
    }
}

/// A controller or a task, with its kind erased.
pub(crate) trait Runnable: Send {
    /// Returns the unique name, which is used in the field manager, logs and metrics.
    fn name(&self) -> &str;
    /// Returns the types of the state that it requires;
    /// [`Manager::with_state`](crate::Manager::with_state) must have provided them.
    fn required(&self) -> &[Required] {
        &[]
    }
    /// Returns the call with a selector that cannot be parsed, as code: `.labels("a b")`. `None` if
    /// all can be parsed.
    fn invalid_selector(&self) -> Option<&str> {
        None
    }
    /// Starts the controller or the task. If it is not ready, it reports that to
    /// `Environment::health` before `run` returns, because the manager reports itself ready right
    /// afterwards. The future completes when `Environment::stop` is cancelled and no reconcile is
    /// running.
    fn run(self: Box<Self>, environment: Environment) -> BoxFuture<'static, ()>;
}
