//! Tests without a cluster: an API server in memory, of which a test and its operator are clients.
//!
//! ```
//! use std::sync::Arc;
//!
//! use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
//! use kube::{Api, api::PostParams};
//! use manager::{Action, Context, Controller, Manager, Options, Result, testing::Cluster};
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
//! With `start_paused` time is virtual: whoever waits is done at once, in the right order, so that a test of an hour
//! takes milliseconds. How long each answer and each event takes follows from a seed, and so does the order in which
//! things happen: [`Cluster::seeded`] tries another one.
//!
//! # What is as in a cluster
//!
//! Create, update, patch (merge, JSON, strategic without directives, status), server-side apply with its field
//! managers and conflicts, delete (propagation, preconditions, finalizers), lists by pages and selectors, watches with
//! bookmarks and with versions that are too old ([`Cluster::forget`]), garbage collection, namespaces; of CRDs the
//! defaults, the pruning and the lists that are merged. The same requests are made here and to a real API server in
//! the tests of this crate, and the answers compared.
//!
//! # What is not
//!
//! Validation by schemas and CEL, webhooks, conversion (an object is the same in each version), permissions (all is
//! allowed), the defaults of Kubernetes' own kinds, and what controllers of Kubernetes do: no Pod ever runs. For
//! these there is a control plane: `rustop cluster exec`. Subresources other than the status are refused by name.

mod delete;
mod fields;
mod garbage;
mod kinds;
#[cfg(feature = "webhook")]
mod local_webhooks;
mod managers;
mod merge;
mod random;
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
    manager::{Manager, check_names},
};
#[cfg(feature = "webhook")]
pub use local_webhooks::LocalWebhooks;
use server::Server;
use state::Key;
use write::Target;

/// Nothing happens for so long where nothing is to be done.
const REST: Duration = Duration::from_secs(1);
/// Whoever has not come to rest by then never will.
const PATIENCE: Duration = Duration::from_secs(600);

/// An API server in memory.
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
    /// With the kinds of Kubernetes.
    #[must_use]
    pub fn new() -> Self {
        Self::seeded(0)
    }

    /// In which things take other times and happen in another order.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        clock::virtual_time::reset();
        Self {
            server: Arc::new(Server::new(seed)),
        }
    }

    /// Lets the time go on from `time`, in this thread: for objects' `creationTimestamp`, for conditions, and for
    /// [`Context::now`](crate::Context::now). Without this it goes on from the machine's. With `start_paused` it stands
    /// still unless somebody waits.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use manager::testing::Cluster;
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

    /// The time in the cluster.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        clock::now()
    }

    /// Serves kinds of your own, too.
    ///
    /// # Panics
    /// When one of them is defined already.
    #[must_use]
    pub fn with(self, definitions: impl IntoIterator<Item = CustomResourceDefinition>) -> Self {
        for definition in definitions {
            let mut state = self.server.state();
            let kind = state
                .kinds
                .any_version("apiextensions.k8s.io", "customresourcedefinitions");
            let kind = kind.expect("it is one of Kubernetes");
            let key = Key::new(&kind, "", "");
            let mut target = Target {
                kind: &kind,
                key,
                subresource: "",
                manager: "test",
                force: false,
            };
            let definition = serde_json::to_value(definition).expect("it is plain data");
            if let Err(refusal) = write::create(&mut state, &mut target, definition) {
                panic!("{refusal}");
            }
        }
        self
    }

    /// A client of it, whose default namespace is `default`.
    #[must_use]
    pub fn client(&self) -> Client {
        service::client(self.server.clone())
    }

    /// Starts an operator, without its servers, its election and its threads.
    #[must_use]
    pub fn run(&self, manager: Manager) -> Operator {
        let stop = CancellationToken::new();
        let ended = tokio::spawn(work(manager, self.client(), stop.clone()));
        Operator { stop, ended }
    }

    /// Waits until nobody asks for anything any more for a second, and nothing changes.
    ///
    /// # Panics
    /// When that is not so after ten minutes, which are virtual in a test that is `start_paused`.
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
                "it does not come to rest: there were {} requests so far",
                now.0
            );
            before = Some(now);
            sleep(REST).await;
        }
    }

    /// Forgets how things came to be, as etcd does every five minutes: whoever wants to go on from an older version, in
    /// a watch or a list, gets a 410.
    pub fn forget(&self) {
        self.server.state().forget();
    }
}

/// Works on the caller's own runtime until `stop` is cancelled.
async fn work(manager: Manager, client: Client, stop: CancellationToken) -> Result<()> {
    check_names(&manager.runnables)?;
    manager.informers.standing.leads();
    let lifecycle = Lifecycle {
        name: manager.name,
        namespaces: manager.options.namespaces(),
        page: manager.options.list_page_size,
        health: manager.health,
        metrics: ManagerMetrics::register(&mut Registry::default()),
        informers: manager.informers,
        #[cfg(feature = "shards")]
        shards: None,
        runnables: manager.runnables,
        threads: 1,
        grace: grace(&manager.options),
    };
    lifecycle.work_with(client, stop).await
}

/// An operator at work. It ends with this value.
pub struct Operator {
    stop: CancellationToken,
    ended: JoinHandle<Result<()>>,
}

impl Operator {
    /// Stops it as SIGTERM does.
    ///
    /// # Errors
    /// When it ended with one.
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
