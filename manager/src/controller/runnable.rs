//! What runs while the operator leads, and what it is given.

use std::sync::Arc;

use futures::future::BoxFuture;
use kube::Client;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::cache::{informer::Informers, interruption::Interruptions};
use crate::controller::metrics::Metrics;
use crate::events::Events;
use crate::http::health::Health;

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
    pub stop: CancellationToken,
}

/// A controller whose kind does not matter any more.
pub(crate) trait Runnable: Send {
    fn name(&self) -> &str;
    /// Says at once that it is not ready, if it is not. What it returns is done when
    /// `Environment::stop` is cancelled and nothing is under way any more.
    fn run(self: Box<Self>, environment: Environment) -> BoxFuture<'static, ()>;
}
