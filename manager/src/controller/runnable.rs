//! Controllers and tasks that run while the operator leads, and their environment.

use std::sync::Arc;

use futures::future::BoxFuture;
use kube::Client;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

#[cfg(feature = "shards")]
use crate::cache::selection::Watch;
use crate::cache::{informer::Informers, interruption::Interruptions};
use crate::controller::metrics::Metrics;
#[cfg(feature = "shards")]
use crate::controller::preflight::Needs;
use crate::events::Events;
use crate::http::health::Health;
#[cfg(feature = "shards")]
use crate::shards::{FIRST, Shards};
use crate::shared_state::{Required, SharedState};

/// The environment in which a controller or a task runs.
pub(crate) struct Environment {
    pub operator: String,
    pub client: Client,
    /// The runtime on which reconciles run.
    pub workers: Handle,
    pub namespaces: Vec<String>,
    /// Number of objects per page of a list.
    pub page: u32,
    pub informers: Arc<Informers>,
    pub events: Arc<Events>,
    pub metrics: Arc<Metrics>,
    pub interruptions: Interruptions,
    pub health: Health,
    pub state: Arc<SharedState>,
    /// The shards of this replica; `None` without sharding.
    #[cfg(feature = "shards")]
    pub shards: Option<Arc<Shards>>,
    pub stop: CancellationToken,
}

impl Environment {
    /// Waits until this replica leads (with sharding: owns the first shard), and returns a client that can write only
    /// while it does.
    pub async fn lead(&self) -> Client {
        #[cfg(feature = "shards")]
        if let Some(shards) = &self.shards {
            return shards.works_on(FIRST).await.client(&self.client);
        }
        self.informers.standing.lead().await;
        self.client.clone()
    }

    /// Limits `needs` to this replica's shards of the controller's own kind.
    #[cfg(feature = "shards")]
    pub fn shares(&self, mut needs: Needs) -> Needs {
        if let (Some(shards), Some(own)) = (&self.shards, needs.kinds.first_mut()) {
            own.watch = Watch::shared(shards.share.clone());
        }
        needs
    }
}

/// A controller or a task, with its kind erased.
pub(crate) trait Runnable: Send {
    fn name(&self) -> &str;
    /// Returns the types of the state that it requires.
    fn required(&self) -> &[Required] {
        &[]
    }
    /// Reports that it is not ready, if so, before it returns. The future completes when `Environment::stop` is cancelled
    /// and nothing is running any longer.
    fn run(self: Box<Self>, environment: Environment) -> BoxFuture<'static, ()>;
}
