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
//! With `start_paused`, time is virtual: a sleep ends at once, but in the right order, so a test of
//! an hour takes milliseconds. A seed determines the latency of each response and each watch event,
//! and so the order of events. [`Cluster::seeded`] uses another seed.
//!
//! # Faults
//!
//! Requests of operators fail on purpose with [`Cluster::fail_next`], an operator is killed at a
//! request with [`Cluster::crash_at`], and [`Cluster::hold_events`] makes its caches stale.
//! [`Fault`] lists all faults, for example [`Fault::Freeze`], which stops a process for a while.
//! [`simulation`](crate::simulation) tries such faults at every request.
//!
//! # What the API server does
//!
//! | feature | in memory |
//! |---|---|
//! | create, update, delete | yes, with preconditions, finalizers, propagation policies and dry runs |
//! | patch | merge, JSON, strategic without directives |
//! | server-side apply | yes, with field managers, conflicts, sets and lists with keys |
//! | subresources | the status; others are rejected with an error that names them |
//! | list | yes, with pages, label selectors and field selectors |
//! | watch | yes, with bookmarks and expired versions ([`Cluster::compact`]) |
//! | garbage collection, namespaces | yes, as part of the write that causes it, and not a moment later |
//! | CRDs | defaults, pruning, merge keys of lists |
//! | permissions | those of the roles that [`Cluster::rbac`] reads; without it, every request is allowed |
//! | webhooks | those of the operator, with the configurations that [`Cluster::webhooks`] reads; not for changes by the garbage collector. A configuration with `matchConditions` or `reinvocationPolicy: IfNeeded` is rejected, and so is a request whose webhook has a `url` |
//! | conversion | with the converters of the operator; owners of fields are not converted. Without a converter, an object is the same in each version |
//! | validation by schemas and CEL | no |
//! | defaults of built-in kinds | no |
//! | controllers of Kubernetes | no: no Pod ever runs; [`simulation`](crate::simulation) has actors that write a status |
//!
//! The tests of this crate send the same requests to this server and to a real API server, and
//! compare the responses. Test what is missing with a real control plane: `rustop cluster exec`.

mod admission;
mod delete;
mod endpoints;
mod failure;
mod fault;
mod fields;
mod garbage;
mod identifiers;
mod kinds;
#[cfg(feature = "webhook")]
mod local_webhooks;
mod managers;
mod manifests;
mod merge;
mod permissions;
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
mod target;
mod watching;
mod webhook_configuration;
mod write;

#[cfg(test)]
mod tests;

use std::{path::Path, sync::Arc, time::Duration};

use futures::FutureExt as _;
use jiff::Timestamp;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{Client, Resource};
use prometheus_client::registry::Registry;
use serde_json::Value;
#[cfg(feature = "webhook")]
use serde_json::json;
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

use crate::shards::Shards;
#[cfg(feature = "webhook")]
use crate::webhook::{WebhookMetrics, WebhookServer};
use crate::{
    client::{self, connection::InMemory as _},
    clock,
    error::Result,
    leader::replica_state::ReplicaState,
    lifecycle::{Lifecycle, ManagerMetrics, grace},
    manager::{self, Manager},
    options::Options,
    random,
    reason::Reason,
    recorder,
    tasks::process::Process,
};
#[cfg(feature = "webhook")]
use endpoints::Serving;
use failure::Failure;
pub(crate) use fault::resource;
pub use fault::{Fault, Operation, Requests};
#[cfg(feature = "webhook")]
pub use local_webhooks::LocalWebhooks;
pub(crate) use permissions::Permissions;
use refusal::Refusal;
use server::Server;
use service::Connection;
use state::Key;
#[cfg(feature = "webhook")]
use state::State;
use target::Target;
use write::{Format, Write};

/// Interval without activity after which the operator counts as settled.
const REST: Duration = Duration::from_secs(1);
/// Time after which `Cluster::settle` panics if the operator still sends requests.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(600);

/// The number of attempts of a change while a webhook cannot be called.
const ATTEMPTS: usize = 60;

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

    /// Returns an API server in which another seed determines latencies and the order of events,
    /// and which makes the random numbers of this thread's operators follow from that seed: delays
    /// of retries, the order of hash maps, and [`Context::random`](crate::Context::random). Resets
    /// the virtual clock of this thread.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        clock::virtual_time::reset();
        random::seeded::seed(seed);
        Self {
            server: Arc::new(Server::new(seed)),
        }
    }

    /// Sets the current time to `time`, for this thread. It is used for `creationTimestamp`, for
    /// conditions, and for [`Context::now`](crate::Context::now). The default is the machine's
    /// time. With `start_paused`, time advances only while all tasks wait.
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
            let definition = serde_json::to_value(definition).expect("plain data");
            self.install(&definition);
        }
        self
    }

    /// Installs the webhook configurations in the YAML files of a directory, such as
    /// `config/webhook`, and ignores other objects in them; the path of a test is relative to its
    /// package. The API server then calls the webhooks of the operators that run on this cluster. A
    /// write that no operator can review fails, unless the `failurePolicy` is `Ignore`.
    ///
    /// ```no_run
    /// # use rustop_manager::{Manager, Options, testing::Cluster};
    /// # fn register(manager: Manager) -> Manager { manager }
    /// let cluster = Cluster::new().webhooks("config/webhook");
    /// let operator = cluster.run(register(Manager::new("test", "0", Options::default())));
    /// # drop(operator);
    /// ```
    ///
    /// # Panics
    /// If a file cannot be read or parsed, or if a configuration exists already or uses a feature
    /// that is not supported.
    #[must_use]
    pub fn webhooks(self, dir: impl AsRef<Path>) -> Self {
        for configuration in webhook_configurations(dir.as_ref()) {
            self.install(&configuration);
        }
        self
    }

    /// Creates a cluster-scoped object of a built-in kind, without calling webhooks.
    ///
    /// # Panics
    /// If the kind is not a built-in one, or if the API server rejects the object.
    pub(crate) fn install(&self, object: &Value) {
        let mut state = self.server.state();
        let text = |name: &str| object[name].as_str().unwrap_or_default();
        let kind = state.kinds.named(text("apiVersion"), text("kind"));
        let kind = kind.expect("a built-in kind");
        let mut target = Target::of_cluster(&kind, Key::new(&kind, "", ""));
        let create = Write::Create(object.clone());
        if let Err(refusal) = write::at_once(&mut state, &mut target, &create) {
            panic!("{refusal}");
        }
    }

    /// Authorizes the requests of operators with the roles that the YAML files of a directory bind,
    /// such as `config/rbac`; the path of a test is relative to its package. The default is that
    /// operators may do everything, as [`Cluster::client`] always may.
    ///
    /// Ignores the subjects of bindings, so the roles must be those of one operator. A
    /// `RoleBinding` applies in its namespace, and one without a namespace in all of them.
    ///
    /// # Panics
    /// If a file cannot be read or parsed, or if the role of a binding is missing.
    #[must_use]
    pub fn rbac(self, dir: impl AsRef<Path>) -> Self {
        self.authorize(Permissions::of_dir(dir.as_ref()))
    }

    /// Authorizes the requests of operators with these permissions, as [`Cluster::rbac`] does.
    pub(crate) fn authorize(self, permissions: Arc<Permissions>) -> Self {
        self.server.authorize(permissions);
        self
    }

    /// Returns a client of this API server, with the default namespace `default`.
    #[must_use]
    pub fn client(&self) -> Client {
        self.connection(Process::new(0)).unfenced()
    }

    /// Starts an operator on the current tokio runtime, without its HTTP servers, leader election
    /// and worker threads. The operator is aborted if the returned value is dropped.
    ///
    /// An operator that ends by itself, such as one that lacks state, fails the test:
    /// [`Cluster::settle`], or else the drop of the returned value, panics with its error, unless
    /// [`Operator::stop`] returns it.
    #[must_use]
    pub fn run(&self, manager: Manager) -> Operator {
        let mut operator = self.run_alone(manager);
        self.server.report_in_settle(&operator.failure);
        operator.fails_test = true;
        operator
    }

    /// Starts an operator like [`Cluster::run`], for a caller that handles its end: one that ends
    /// by itself does not fail the test.
    pub(crate) fn run_alone(&self, manager: Manager) -> Operator {
        let replica = Replica::alone(&manager);
        self.start(
            manager,
            replica,
            |lifecycle, _, connection, stop| async move {
                // without election, the only replica leads from the start
                lifecycle.informers.replica_state.start_leading();
                let client = connection.unfenced();
                lifecycle.run_controllers(client, stop).await
            },
        )
    }

    /// Starts a replica of an operator like [`Cluster::run`], with leader election or shards if its
    /// options enable them. As for [`Cluster::run_alone`], the caller handles its end.
    pub(crate) fn run_replica(&self, manager: Manager) -> Operator {
        let replica = Replica::of(&manager);
        self.start(manager, replica, |lifecycle, options, connection, stop| {
            let connection = client::connection::Connection::InMemory(Box::new(connection));
            lifecycle.run(options, connection, stop.cancelled_owned())
        })
    }

    /// Starts a process that checks the controllers of a manager and then runs them with `run`.
    fn start<F: Future<Output = Result<()>> + Send>(
        &self,
        manager: Manager,
        replica: Replica,
        run: impl FnOnce(Lifecycle, Options, Connection, CancellationToken) -> F + Send + 'static,
    ) -> Operator {
        let (stop, process) = (CancellationToken::new(), self.server.process());
        let (connection, stopped) = (self.connection(process.clone()), stop.clone());
        let own = replica.clone();
        let failure = Arc::<Failure>::default();
        let recorded = failure.clone();
        let work = async move {
            let options = manager.options.clone();
            #[cfg(feature = "webhook")]
            let (manager, _serving) = serve_webhooks(manager, &connection)?;
            run(lifecycle(manager, &own)?, options, connection, stopped).await
        };
        let work = work.inspect(move |ended| recorded.record(ended));
        Operator {
            stop,
            ended: tokio::spawn(process.task(work)),
            failure,
            fails_test: false,
            process,
            replica,
        }
    }

    /// Returns the connection of a process to this API server.
    fn connection(&self, process: Arc<Process>) -> Connection {
        Connection {
            server: self.server.clone(),
            process,
        }
    }

    /// Makes the next selected request of an operator fail. Requests of [`Cluster::client`] never
    /// fail. If several faults are due at one request, the first one occurs, and each of the others
    /// at a later request.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// # use kube::Api;
    /// # use rustop_manager::{Action, Context, Controller, Manager, Options, Result};
    /// use rustop_manager::testing::{Cluster, Fault, Operation, Requests};
    /// # async fn reconcile(namespace: Arc<Namespace>, ctx: Context<Namespace>) -> Result<Action> {
    /// #     let mut notes = ConfigMap::default();
    /// #     notes.metadata.name = Some("notes".to_owned());
    /// #     notes.metadata.namespace = namespace.metadata.name.clone();
    /// #     ctx.apply(notes).await?;
    /// #     Ok(Action::await_change())
    /// # }
    /// # fn operator() -> Manager {
    /// #     let controller = Controller::new(reconcile).owns::<ConfigMap>();
    /// #     Manager::new("test", "0", Options::default()).controller(controller)
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(async {
    /// let cluster = Cluster::new();
    /// // the quota does not allow a third ConfigMap for a moment
    /// let third = Requests::of::<ConfigMap>(Operation::Apply).nth(3);
    /// cluster.fail_next(third, Fault::Status(403));
    /// let _operator = cluster.run(operator());
    /// cluster.settle().await;
    /// let notes = Api::<ConfigMap>::all(cluster.client()).list(&Default::default()).await.unwrap();
    /// assert_eq!(notes.items.len(), 4, "one for each namespace");
    /// # });
    /// ```
    pub fn fail_next(&self, requests: Requests, fault: Fault) {
        self.server.inject(requests, fault);
    }

    /// Kills the operator when the API server has handled the next selected request, before the
    /// response arrives. Wait with [`Operator::crashed`], and run the operator again.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// # use kube::Api;
    /// # use rustop_manager::{Action, Context, Controller, Manager, Options, Result};
    /// use rustop_manager::testing::{Cluster, Operation, Requests};
    /// # async fn reconcile(namespace: Arc<Namespace>, ctx: Context<Namespace>) -> Result<Action> {
    /// #     let mut notes = ConfigMap::default();
    /// #     notes.metadata.name = Some("notes".to_owned());
    /// #     notes.metadata.namespace = namespace.metadata.name.clone();
    /// #     ctx.apply(notes).await?;
    /// #     Ok(Action::await_change())
    /// # }
    /// # fn operator() -> Manager {
    /// #     let controller = Controller::new(reconcile).owns::<ConfigMap>();
    /// #     Manager::new("test", "0", Options::default()).controller(controller)
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(async {
    /// let cluster = Cluster::new();
    /// cluster.crash_at(Requests::of::<ConfigMap>(Operation::Apply));
    /// cluster.run(operator()).crashed().await;
    /// let _restarted = cluster.run(operator());
    /// cluster.settle().await;
    /// let notes = Api::<ConfigMap>::all(cluster.client()).list(&Default::default()).await.unwrap();
    /// assert_eq!(notes.items.len(), 4, "one for each namespace");
    /// # });
    /// ```
    pub fn crash_at(&self, requests: Requests) {
        self.server.inject(requests, Fault::CrashAfter);
    }

    /// Holds the watch events of a kind, so that the caches of operators become stale, until the
    /// returned value is dropped.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// # use kube::{Api, api::PostParams};
    /// # use rustop_manager::{Action, Context, Controller, Manager, Options, Result};
    /// use rustop_manager::testing::Cluster;
    /// # async fn reconcile(namespace: Arc<Namespace>, ctx: Context<Namespace>) -> Result<Action> {
    /// #     let mut notes = ConfigMap::default();
    /// #     notes.metadata.name = Some("notes".to_owned());
    /// #     notes.metadata.namespace = namespace.metadata.name.clone();
    /// #     ctx.apply(notes).await?;
    /// #     Ok(Action::await_change())
    /// # }
    /// # fn operator() -> Manager {
    /// #     let controller = Controller::new(reconcile).owns::<ConfigMap>();
    /// #     Manager::new("test", "0", Options::default()).controller(controller)
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(async {
    /// let cluster = Cluster::new();
    /// let _operator = cluster.run(operator());
    /// cluster.settle().await;
    /// let held = cluster.hold_events::<Namespace>();
    /// let mut late = Namespace::default();
    /// late.metadata.name = Some("late".to_owned());
    /// let namespaces = Api::<Namespace>::all(cluster.client());
    /// namespaces.create(&PostParams::default(), &late).await.unwrap();
    /// cluster.settle().await;
    /// let notes = Api::<ConfigMap>::namespaced(cluster.client(), "late");
    /// assert!(notes.get_opt("notes").await.unwrap().is_none(), "the operator has not seen the namespace");
    /// drop(held);
    /// cluster.settle().await;
    /// assert!(notes.get_opt("notes").await.unwrap().is_some());
    /// # });
    /// ```
    pub fn hold_events<K: Resource<DynamicType = ()>>(&self) -> HeldEvents {
        let resource = fault::resource::<K>();
        self.server.hold(&resource);
        HeldEvents {
            server: self.server.clone(),
            resource,
        }
    }

    /// Waits until the cluster has settled: no requests and no changes for one second.
    ///
    /// # Panics
    /// If the cluster has not settled after ten minutes (virtual minutes with `start_paused`), or
    /// if an operator of [`Cluster::run`] ended with an error.
    pub async fn settle(&self) {
        let last = Instant::now() + SETTLE_TIMEOUT;
        let mut before = None;
        loop {
            self.server.report_failures();
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

    /// Lets time pass, and then waits until the cluster has settled. With `start_paused`, that
    /// takes milliseconds.
    ///
    /// ```
    /// # use std::{sync::Arc, time::Duration};
    /// # use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// # use kube::Api;
    /// # use rustop_manager::{Action, Context, Controller, Manager, Options, Result};
    /// use rustop_manager::testing::Cluster;
    ///
    /// /// Creates the notes of a namespace when it is an hour old.
    /// async fn reconcile(namespace: Arc<Namespace>, ctx: Context<Namespace>) -> Result<Action> {
    ///     let created = namespace.metadata.creation_timestamp.as_ref().map(|time| time.0);
    ///     let age = ctx.now().duration_since(created.unwrap_or_default()).unsigned_abs();
    ///     let rest = Duration::from_secs(3600).saturating_sub(age);
    ///     if !rest.is_zero() {
    ///         return Ok(Action::requeue(rest));
    ///     }
    ///     let mut notes = ConfigMap::default();
    ///     notes.metadata.name = Some("notes".to_owned());
    ///     notes.metadata.namespace = namespace.metadata.name.clone();
    ///     ctx.apply(notes).await?;
    ///     Ok(Action::await_change())
    /// }
    /// # fn operator() -> Manager {
    /// #     let controller = Controller::new(reconcile).owns::<ConfigMap>();
    /// #     Manager::new("test", "0", Options::default()).controller(controller)
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(async {
    /// let cluster = Cluster::new();
    /// let _operator = cluster.run(operator());
    /// cluster.advance(Duration::from_secs(1800)).await;
    /// let notes = Api::<ConfigMap>::namespaced(cluster.client(), "default");
    /// assert!(notes.get_opt("notes").await.unwrap().is_none(), "half an hour");
    /// cluster.advance(Duration::from_secs(1800)).await;
    /// assert!(notes.get_opt("notes").await.unwrap().is_some());
    /// # });
    /// ```
    ///
    /// # Panics
    /// Panics like [`Cluster::settle`] if the cluster has not settled ten minutes after that, or if
    /// an operator ended with an error.
    pub async fn advance(&self, time: Duration) {
        sleep(time).await;
        self.settle().await;
    }

    /// Discards the history, as etcd does every five minutes when it is compacted. A watch or list
    /// that continues from an older resource version then fails with 410 Gone.
    pub fn compact(&self) {
        self.server.state().compact();
    }

    /// Does the same as [`Cluster::compact`].
    #[deprecated(note = "use `compact`")]
    pub fn forget(&self) {
        self.compact();
    }
}

/// Access for simulations.
impl Cluster {
    /// Returns all objects as they are stored, each with its resource: `deployments.apps`.
    pub(crate) fn objects(&self) -> Vec<(String, Value)> {
        let state = self.server.state();
        let objects = state.objects.iter();
        objects
            .map(|(key, object)| (key.resource(), object.clone()))
            .collect()
    }

    /// Returns the objects of a resource, such as `deployments.apps`, as they are stored.
    pub(crate) fn objects_of(&self, resource: &str) -> Vec<Value> {
        let state = self.server.state();
        let objects = state.objects.iter();
        objects
            .filter(|(key, _)| key.is_of_resource(resource))
            .map(|(_, object)| object.clone())
            .collect()
    }

    /// Returns the newest revision, and the objects that were created or changed after `revision`,
    /// oldest change first, each with its resource. An object appears once per change; deletions
    /// are left out. Returns all objects if the history no longer has these changes.
    pub(crate) fn changes_after(&self, revision: u64) -> (u64, Vec<(String, Value)>) {
        let state = self.server.state();
        if revision < state.compacted {
            let objects = state.objects.iter();
            let all = objects.map(|(key, object)| (key.resource(), object.clone()));
            return (state.revision, all.collect());
        }
        let new = state.log.iter().rev();
        let new = new.take_while(|change| change.revision > revision);
        let mut new: Vec<_> = new
            .filter(|change| !change.is_deletion)
            .map(|change| (change.key.resource(), change.object.clone()))
            .collect();
        new.reverse();
        (state.revision, new)
    }

    /// Waits until there is a newer revision than `seen`.
    pub(crate) async fn changed_after(&self, seen: u64) {
        self.server.changed_after(seen).await;
    }

    /// Sets the function that is called after each change. `None` removes it.
    pub(crate) fn on_change(&self, call: Option<server::OnChange>) {
        self.server.on_change(call);
    }

    /// Makes a backup of all objects, for [`Fault::Restore`], in place of the previous one.
    pub(crate) fn back_up(&self) {
        self.server.state().back_up();
    }

    /// Returns the faults of [`Self::fail_next`] that have not occurred.
    pub(crate) fn pending_faults(&self) -> Vec<(Requests, Fault)> {
        self.server.pending_faults()
    }

    /// Returns the number of responses and watch events that a fault delays at the moment.
    pub(crate) fn delayed(&self) -> usize {
        self.server.delayed()
    }

    /// Creates, patches or deletes an object, as a user or as a controller of the cluster. If a
    /// webhook cannot be called, tries again, for a minute. Of `object`, a patch or delete uses
    /// only `apiVersion`, `kind`, name and namespace; the default namespace is `default`.
    ///
    /// # Errors
    /// Returns the message of the API server if it rejects the request.
    pub(crate) async fn change(
        &self,
        object: &Value,
        change: ObjectChange<'_>,
    ) -> Result<(), String> {
        let mut attempts = 1;
        loop {
            match self.try_change(object, change).await {
                Err(refusal) if refusal.is_internal() && attempts < ATTEMPTS => attempts += 1,
                done => return done.map_err(|refusal| refusal.to_string()),
            }
            sleep(REST).await;
        }
    }

    async fn try_change(&self, object: &Value, change: ObjectChange<'_>) -> Result<(), Refusal> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (api_version, name) = (text(&object["apiVersion"]), text(&object["kind"]));
        let kind = self.server.state().kinds.named(&api_version, &name);
        let kind = kind.ok_or_else(|| {
            Refusal::bad_request(format!(
                "the API server does not serve {api_version} {name}"
            ))
        })?;
        let metadata = &object["metadata"];
        let namespace = match text(&metadata["namespace"]) {
            namespace if kind.namespaced && namespace.is_empty() => "default".to_owned(),
            namespace if kind.namespaced => namespace,
            _ => String::new(),
        };
        let key = Key::new(&kind, &namespace, &text(&metadata["name"]));
        let (resource, label) = (kind.resource(), format!("{namespace}/{}", key.name));
        let mut target = Target {
            manager: "user",
            ..Target::of_cluster(&kind, key)
        };
        if let ObjectChange::Status(_) = change {
            (target.subresource, target.manager) = ("status", "kube-controller-manager");
        }
        let (what, write) = match change {
            ObjectChange::Create => {
                let mut object = object.clone();
                if kind.namespaced {
                    object["metadata"]["namespace"] = namespace.into();
                }
                ("create", Some(Write::Create(object)))
            }
            ObjectChange::Status(patch) => {
                let patch = Write::Patch(Format::Merge, patch.clone());
                ("patch status of", Some(patch))
            }
            ObjectChange::Patch(patch) => {
                ("patch", Some(Write::Patch(Format::Merge, patch.clone())))
            }
            ObjectChange::Delete => ("delete", None),
        };
        let done = if let Some(write) = write {
            let written = self.server.write(&mut target, &write, &mut false).await;
            written.map(drop)
        } else {
            let deletion = delete::Deletion::default();
            let deleted = self.server.delete(&target, &deletion, &mut false).await;
            deleted.map(drop)
        };
        recorder::note(|| {
            let failure = done.as_ref().err().map(|refusal| format!(": {refusal}"));
            let failure = failure.unwrap_or_default();
            recorder::What::Note(format!("cluster: {what} {resource} {label}{failure}"))
        });
        recorder::with(recorder::Record::mark_active);
        self.server.notify_watches();
        done
    }
}

/// Returns the webhook configurations in the YAML files of a directory.
///
/// # Panics
/// If a file cannot be read or parsed.
pub(crate) fn webhook_configurations(dir: &Path) -> Vec<Value> {
    let manifests = manifests::of_dir(dir).unwrap_or_else(|problem| panic!("{problem}"));
    let manifests = manifests.into_iter();
    manifests.filter(is_webhook_configuration).collect()
}

fn is_webhook_configuration(object: &Value) -> bool {
    let kinds = [
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
    ];
    kinds.iter().any(|kind| object["kind"] == *kind)
}

/// A change of an object by a simulation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ObjectChange<'a> {
    Create,
    Delete,
    /// A merge patch.
    Patch(&'a Value),
    /// A merge patch of the status subresource.
    Status(&'a Value),
}

/// Checks the controllers of a manager, and returns the lifecycle of a replica. The error is that
/// of a check.
fn lifecycle(manager: Manager, replica: &Replica) -> Result<Lifecycle> {
    manager::check(&manager.runnables, &manager.state)?;
    Ok(Lifecycle {
        name: manager.name,
        namespaces: manager.options.namespaces(),
        page_size: manager.options.list_page_size,
        health: manager.health,
        metrics: ManagerMetrics::register(&mut Registry::default()),
        informers: manager.informers,
        state: Arc::new(manager.state),
        shards: replica.shards.clone(),
        runnables: manager.runnables,
        threads: 1,
        grace: grace(&manager.options),
    })
}

/// Serves the webhooks of a manager until the returned value is dropped, and makes the API server
/// call them to convert the objects of their kinds.
#[cfg(feature = "webhook")]
fn serve_webhooks(
    mut manager: Manager,
    connection: &Connection,
) -> Result<(Manager, Option<Serving>)> {
    let handlers = std::mem::take(&mut manager.webhooks);
    if handlers.admissions.is_empty() && handlers.chains.is_empty() {
        return Ok((manager, None));
    }
    let metrics = WebhookMetrics::register(&mut Registry::default());
    let webhooks = WebhookServer::new(handlers, connection.unfenced(), &metrics)?;
    let mut state = connection.server.state();
    for crd in webhooks.converted() {
        convert_by_webhook(&mut state, &crd);
    }
    let process = connection.process.clone();
    let serving = state.endpoints.add(process, Arc::new(webhooks));
    drop(state);
    connection.server.notify_watches();
    Ok((manager, Some(serving)))
}

/// Configures a CRD so that the API server calls a webhook to convert objects. Does nothing if it
/// is not installed.
#[cfg(feature = "webhook")]
fn convert_by_webhook(state: &mut State, crd: &str) {
    let kind = state
        .kinds
        .any_version("apiextensions.k8s.io", "customresourcedefinitions");
    let kind = kind.expect("a built-in kind");
    let mut target = Target::of_cluster(&kind, Key::new(&kind, "", crd));
    let service = json!({"name": "webhook-service", "namespace": "system", "path": "/convert"});
    let webhook = json!({"clientConfig": {"service": service}, "conversionReviewVersions": ["v1"]});
    let conversion = json!({"strategy": "Webhook", "webhook": webhook});
    let patch = Write::Patch(Format::Merge, json!({"spec": {"conversion": conversion}}));
    // An operator may convert a kind that a test does not use.
    let _ = write::at_once(state, &mut target, &patch);
}

/// A running operator, started by [`Cluster::run`]. Aborted when dropped, which panics if the
/// operator has ended with an error.
pub struct Operator {
    /// Stops the operator gracefully when it is cancelled.
    stop: CancellationToken,
    /// The task of the operator, with its result.
    ended: JoinHandle<Result<()>>,
    failure: Arc<Failure>,
    /// True if the test fails when this operator ends by itself.
    fails_test: bool,
    process: Arc<Process>,
    replica: Replica,
}

/// The part of a running operator in leader election and sharding. Clones share their state.
#[derive(Clone)]
pub(crate) struct Replica {
    /// The state in leader election: leader or standby.
    pub replica_state: ReplicaState,
    /// The shards of this replica; `None` without sharding.
    pub shards: Option<Arc<Shards>>,
}

impl Replica {
    /// Returns a replica that reconciles everything.
    fn alone(manager: &Manager) -> Self {
        Self {
            replica_state: manager.informers.replica_state.clone(),
            shards: None,
        }
    }

    /// Returns a replica with the shards of the options.
    fn of(manager: &Manager) -> Self {
        Self {
            shards: Shards::of(&manager.options).expect("shards without a takeover"),
            ..Self::alone(manager)
        }
    }

    /// Returns the shards that this replica reconciles. Without sharding, the leader has shard 0.
    pub fn owned_shards(&self) -> Vec<u32> {
        match &self.shards {
            Some(shards) => shards.terms().into_keys().collect(),
            None if self.replica_state.is_leading() => vec![0],
            None => Vec::new(),
        }
    }
}

/// The end of a process of an operator.
pub(crate) enum End {
    /// A fault killed it.
    Killed,
    /// It exited because it lost its lease.
    LeaseLost,
    /// It exited by itself, with this message.
    Exited(String),
}

/// Holds the watch events of a kind until it is dropped: see [`Cluster::hold_events`].
#[must_use = "events are held until this is dropped"]
pub struct HeldEvents {
    server: Arc<Server>,
    resource: String,
}

impl Drop for HeldEvents {
    fn drop(&mut self) {
        self.server.release(&self.resource);
    }
}

impl Operator {
    /// Stops the operator gracefully, as SIGTERM does, and waits until it has ended.
    ///
    /// # Errors
    /// Returns the error with which the operator ended, or an error if it panicked.
    pub async fn stop(mut self) -> Result<()> {
        self.stop.cancel();
        let ended = (&mut self.ended).await;
        self.failure.clear();
        ended?
    }

    /// Kills the operator, as SIGKILL does: its tasks are dropped, and its requests in flight take
    /// effect or not, as the seed determines.
    pub fn crash(self) {
        self.process.crash();
    }

    /// Waits until a fault kills the operator or it exits.
    pub(crate) async fn ended(&mut self) -> End {
        tokio::select! {
            biased;
            () = self.process.wait_for_crash() => End::Killed,
            ended = &mut self.ended => match ended {
                Ok(Ok(())) => End::Exited("without an error".to_owned()),
                Ok(Err(error)) if error.is(Reason::LeaseLost) => End::LeaseLost,
                Ok(Err(error)) => End::Exited(error.to_string()),
                Err(error) => End::Exited(error.to_string()),
            },
        }
    }

    /// Returns the part of the operator in leader election and sharding.
    pub(crate) fn replica(&self) -> &Replica {
        &self.replica
    }

    /// Returns the number of the process, counted from 1.
    pub(crate) fn number(&self) -> usize {
        self.process.number
    }

    /// Waits until a fault kills the operator: see [`Cluster::crash_at`]. Without such a fault, it
    /// never returns.
    pub async fn crashed(self) {
        self.process.wait_for_crash().await;
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        self.ended.abort();
        if self.fails_test {
            self.failure.report();
        }
    }
}
