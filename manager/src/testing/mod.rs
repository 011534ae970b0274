//! Tests without a cluster: an in-memory API server, with the test and the operator as its clients.
//!
//! ```
//! use std::sync::Arc;
//!
//! use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
//! use kube::{Api, api::PostParams};
//! use rustop_manager::{Action, Context, Controller, Manager, Options, Result, testing::Cluster};
//!
//! async fn reconcile(namespace: Arc<Namespace>, ctx: Context<Namespace>) -> Result<Action> {
//!     let mut notes = ConfigMap::default();
//!     notes.metadata.name = Some("notes".to_owned());
//!     notes.metadata.namespace = namespace.metadata.name.clone();
//!     ctx.apply(notes).await?;
//!     Ok(Action::await_change())
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(async {
//! // in a `#[tokio::test(start_paused = true)]`
//! let cluster = Cluster::new();
//! let controller = Controller::new(reconcile).owns::<ConfigMap>();
//! let operator = cluster.run(Manager::new("test", "0", Options::default()).controller(controller));
//! cluster.settle().await;
//! let notes = Api::<ConfigMap>::namespaced(cluster.client(), "default").get("notes").await;
//! assert!(notes.is_ok());
//! operator.stop().await.unwrap();
//! # });
//! ```
//!
//! With `start_paused`, time is virtual: a sleep ends at once, but in the right order, so a test of an hour takes
//! milliseconds. A seed determines the latency of each response and each watch event, and so the order of events.
//! [`Cluster::seeded`] uses another seed.
//!
//! # Supported
//!
//! Create, update, patch (merge, JSON, strategic without directives, status), server-side apply with field managers and
//! conflicts, delete (propagation, preconditions, finalizers), lists with pages and selectors, watches with bookmarks
//! and with expired versions ([`Cluster::forget`]), garbage collection, and namespaces. For CRDs: defaults, pruning,
//! and merge keys of lists. The tests of this crate send the same requests to this server and to a real API server, and
//! compare the responses.
//!
//! # Not supported
//!
//! Validation by schemas and CEL, webhooks, conversion (an object is the same in each version), permissions (every
//! request is allowed), defaults of built-in kinds, and the controllers of Kubernetes: no Pod ever runs. Test these
//! with a real control plane: `rustop cluster exec`. Subresources other than the status are rejected with an error that
//! names them.

mod delete;
mod fields;
mod garbage;
mod identifiers;
mod kinds;
#[cfg(feature = "webhook")]
mod local_webhooks;
mod managers;
mod merge;
mod read;
mod refusal;
mod route;
mod schema;
mod selector;
mod sent;
mod server;
mod service;
mod shape;
mod state;
mod watching;
mod write;

#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;
use prometheus_client::registry::Registry;
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

use crate::{
    clock,
    error::Result,
    lifecycle::{Lifecycle, ManagerMetrics, grace},
    manager::{Manager, check_names, check_state},
    random,
};
#[cfg(feature = "webhook")]
pub use local_webhooks::LocalWebhooks;
use server::Server;
use state::Key;
use write::Target;

/// Interval without activity after which the operator counts as settled.
const REST: Duration = Duration::from_secs(1);
/// Timeout of `Cluster::settle`.
const PATIENCE: Duration = Duration::from_secs(600);

/// An in-memory API server. Clones share the same server.
#[derive(Clone)]
pub struct Cluster {
    server: Arc<Server>,
}

impl Default for Cluster {
    fn default() -> Self {
        Self::new()
    }
}

impl Cluster {
    /// Returns an API server with common built-in kinds, with seed 0.
    #[must_use]
    pub fn new() -> Self {
        Self::seeded(0)
    }

    /// Returns an API server in which another seed determines latencies and the order of events, and which makes the
    /// random numbers of this thread's operators follow from that seed: delays of retries, the order of hash maps, and
    /// [`Context::random`](crate::Context::random). Resets the virtual clock of this thread.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        clock::virtual_time::reset();
        random::seeded::seed(seed);
        Self {
            server: Arc::new(Server::new(seed)),
        }
    }

    /// Sets the current time to `time`, for this thread. It is used for `creationTimestamp`, for conditions, and for
    /// [`Context::now`](crate::Context::now). The default is the machine's time. With `start_paused`, time advances
    /// only while all tasks wait.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use rustop_manager::testing::Cluster;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(async {
    /// let new_year = "2030-01-01T00:00:00Z".parse().unwrap();
    /// let cluster = Cluster::new().at(new_year);
    /// tokio::time::sleep(Duration::from_secs(3600)).await;
    /// let passed = cluster.now().duration_since(new_year);
    /// assert_eq!(passed.as_secs_f64().round(), 3600.0);
    /// # });
    /// ```
    #[must_use]
    pub fn at(self, time: Timestamp) -> Self {
        clock::virtual_time::set(time);
        self
    }

    /// Returns the current time of the cluster.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        clock::now()
    }

    /// Installs CRDs, so that the API server also serves their kinds.
    ///
    /// # Panics
    /// If one of the CRDs already exists or is invalid.
    #[must_use]
    pub fn with(self, definitions: impl IntoIterator<Item = CustomResourceDefinition>) -> Self {
        for definition in definitions {
            let mut state = self.server.state();
            let kind = state
                .kinds
                .any_version("apiextensions.k8s.io", "customresourcedefinitions");
            let kind = kind.expect("a built-in kind");
            let key = Key::new(&kind, "", "");
            let mut target = Target {
                kind: &kind,
                key,
                subresource: "",
                manager: "test",
                force: false,
            };
            let definition = serde_json::to_value(definition).expect("plain data");
            if let Err(refusal) = write::create(&mut state, &mut target, definition) {
                panic!("{refusal}");
            }
        }
        self
    }

    /// Returns a client of this API server, with the default namespace `default`.
    #[must_use]
    pub fn client(&self) -> Client {
        service::client(self.server.clone())
    }

    /// Starts an operator on the current tokio runtime, without its HTTP servers, leader election and worker threads.
    /// The operator is aborted if the returned value is dropped.
    #[must_use]
    pub fn run(&self, manager: Manager) -> Operator {
        let stop = CancellationToken::new();
        let ended = tokio::spawn(work(manager, self.client(), stop.clone()));
        Operator { stop, ended }
    }

    /// Waits until the cluster has settled: no requests and no changes for one second.
    ///
    /// # Panics
    /// If the cluster has not settled after ten minutes (virtual minutes with `start_paused`).
    pub async fn settle(&self) {
        let last = Instant::now() + PATIENCE;
        let mut before = None;
        loop {
            let now = self.server.activity();
            if before == Some(now) {
                return;
            }
            assert!(
                Instant::now() < last,
                "the cluster did not settle: {} requests so far",
                now.0
            );
            before = Some(now);
            sleep(REST).await;
        }
    }

    /// Discards the history, as etcd does every five minutes when it is compacted. A watch or list that continues from
    /// an older resource version then fails with 410 Gone.
    pub fn forget(&self) {
        self.server.state().forget();
    }
}

/// Runs the operator on the caller's runtime until `stop` is cancelled.
async fn work(manager: Manager, client: Client, stop: CancellationToken) -> Result<()> {
    check_names(&manager.runnables)?;
    check_state(&manager.runnables, &manager.state)?;
    manager.informers.standing.leads();
    let lifecycle = Lifecycle {
        name: manager.name,
        namespaces: manager.options.namespaces(),
        page: manager.options.list_page_size,
        health: manager.health,
        metrics: ManagerMetrics::register(&mut Registry::default()),
        informers: manager.informers,
        state: Arc::new(manager.state),
        #[cfg(feature = "shards")]
        shards: None,
        runnables: manager.runnables,
        threads: 1,
        grace: grace(&manager.options),
    };
    lifecycle.work_with(client, stop).await
}

/// A running operator, started by [`Cluster::run`]. Aborted when dropped.
pub struct Operator {
    stop: CancellationToken,
    ended: JoinHandle<Result<()>>,
}

impl Operator {
    /// Stops the operator gracefully, as SIGTERM does, and waits until it has ended.
    ///
    /// # Errors
    /// Returns the error with which the operator ended, or an error if it panicked.
    pub async fn stop(mut self) -> Result<()> {
        self.stop.cancel();
        (&mut self.ended).await?
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        self.ended.abort();
    }
}
