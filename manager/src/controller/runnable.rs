//! What runs while the operator leads, and what it is given.

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

/// What a controller, or another task, is started with.
pub(crate) struct Environment {
    pub operator: String,
    pub client: Client,
    /// Where reconciles run.
    pub workers: Handle,
    pub namespaces: Vec<String>,
    /// Objects in one answer of a list.
    pub page: u32,
    pub informers: Arc<Informers>,
    pub events: Arc<Events>,
    pub metrics: Arc<Metrics>,
    pub interruptions: Interruptions,
    pub health: Health,
    /// Those of this replica, where several share the objects.
    #[cfg(feature = "shards")]
    pub shards: Option<Arc<Shards>>,
    pub stop: CancellationToken,
}

impl Environment {
    /// Waits until this is the one replica that leads, and returns a client that writes only while it does.
    pub async fn lead(&self) -> Client {
        #[cfg(feature = "shards")]
        if let Some(shards) = &self.shards {
            return shards.works_on(FIRST).await.client(&self.client);
        }
        self.informers.standing.lead().await;
        self.client.clone()
    }

    /// The same needs, of this replica's part of the objects.
    #[cfg(feature = "shards")]
    pub fn shares(&self, mut needs: Needs) -> Needs {
        if let (Some(shards), Some(own)) = (&self.shards, needs.kinds.first_mut()) {
            own.watch = Watch::shared(shards.share.clone());
        }
        needs
    }
}

/// A controller whose kind does not matter any more.
pub(crate) trait Runnable: Send {
    fn name(&self) -> &str;
    /// Says at once that it is not ready, if it is not. What it returns is done when
    /// `Environment::stop` is cancelled and nothing is under way any more.
    fn run(self: Box<Self>, environment: Environment) -> BoxFuture<'static, ()>;
}
