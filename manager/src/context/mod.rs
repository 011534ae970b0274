//! The context of a reconcile: the object, the caches, the API server. Functions for children are
//! in `apply`, those for the object's status in `status`.

pub(crate) mod cache_lookups;
pub(crate) mod cause;
pub(crate) mod write_log;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use jiff::Timestamp;
use kube::{
    Api, Client,
    runtime::{
        events::EventType,
        reflector::{ObjectRef, Store},
    },
};
use parking_lot::Mutex;

use crate::cache::{
    Cache, caches::Caches, informer::Informers, selection::Watch, watch_target::WatchTarget,
};
use crate::client::pending_waits::Waits;
use crate::clock;
use crate::condition_events::ConditionEvents;
use crate::context::{cause::Causes, write_log::WriteLog};
use crate::error::Result;
use crate::events::Events;
use crate::hash::HashSet;
use crate::object::{AnyObject, AnyRef, Identity, Object};
use crate::random;
use crate::rate_limits::RateLimits;
use crate::shared_state::{Required, SharedState};

/// The context of a reconcile, passed to it together with the object. Cheap to clone.
///
/// ```no_run
/// # use std::{fmt, sync::Arc};
/// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::{ConfigMap, Secret, Service}};
/// # use rustop_manager::{Action, Context, Error, EventType, Result};
/// # fn settings(_: &Deployment, _: &Secret) -> ConfigMap { todo!() }
/// async fn reconcile(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<Action> {
///     // from the cache, for kinds that the controller owns or watches
///     let Some(password) = ctx.get::<Secret>("password")? else {
///         return Err(Error::new("NoPassword", "Secret `password` not found"));
///     };
///     // created or updated if it differs from the desired state
///     let applied = ctx.apply(settings(&web, &password)).await?;
///     // from the API server
///     if ctx.api::<Service>().get_opt("web").await?.is_none() {
///         let note = format!("ConfigMap {:?} is not served: Service `web` not found", applied.metadata.name);
///         ctx.event(EventType::Warning, "NoService", &note);
///     }
///     // created by an earlier version of this operator
///     ctx.delete::<ConfigMap>("old-settings").await?;
///     Ok(Action::await_change())
/// }
/// ```
#[derive(Clone)]
pub struct Context<K: AnyObject> {
    /// The object as it was when the reconcile began.
    pub(crate) object: Arc<K>,
    /// With sharding, its writes also need the Lease of the object's shard.
    pub(crate) client: Client,
    pub(crate) shared: Arc<Shared<K>>,
    pub(crate) draft: Draft<K>,
    pub(crate) run: Arc<Run>,
}

/// Records about one reconcile, for the log and for loop detection.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub causes: Causes,
    /// The operations that the reconcile waits for at the moment.
    pub waits: Waits,
    /// The writes so far.
    pub writes: WriteLog,
}

/// The status that a reconcile has set and that is not written yet; `None` if there is none.
pub(crate) type Draft<K> = Arc<Mutex<Option<Box<dyn Drafted<K>>>>>;

/// A drafted status, for code that does not know whether the kind has one.
pub(crate) trait Drafted<K: AnyObject>: Any + Send {
    /// Writes the status, if it differs from the current one.
    ///
    /// # Errors
    /// Returns an error with an `Unwritten` as its source if the status may not be written now, and
    /// the API server's error if it rejects the request or is unreachable.
    fn write(self: Box<Self>, context: &Context<K>, pace: Pace) -> BoxFuture<'_, Result<()>>;
}

/// A function that deletes the children of one kind that are in the object's set, whose ID is the
/// second argument, but not among the references in the third. Returns references to the deleted
/// children.
pub(crate) type Prune<K> = Arc<
    dyn Fn(Context<K>, String, Arc<HashSet<AnyRef>>) -> BoxFuture<'static, Result<Vec<AnyRef>>>
        + Send
        + Sync,
>;

/// A function that records which objects of one kind the reconciled object names, and reads those
/// that were not read before.
pub(crate) type ReadReferences<K> =
    Arc<dyn Fn(Context<K>) -> BoxFuture<'static, Result<()>> + Send + Sync>;

/// The rate limit of a status write.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Pace {
    /// No limit.
    Any,
    /// The limit of [`Shared::status_limits`].
    Limited,
}

/// The data that the contexts of one controller share.
pub(crate) struct Shared<K: AnyObject> {
    /// The name of the operator.
    pub operator: String,
    /// The field manager of the controller: `operator/controller`.
    pub field_manager: String,
    /// The client of the controller; see `Environment::client`.
    pub client: Client,
    /// The cache of the controller's own kind.
    pub main: Arc<Cache<K>>,
    /// The caches of all controllers.
    pub informers: Arc<Informers>,
    /// The kinds that the controller watches, its own kind first.
    pub watched: Vec<WatchTarget>,
    /// For each kind that the objects refer to by name, a function that reads the objects in the
    /// caches.
    pub references: Vec<ReadReferences<K>>,
    /// For each watched kind, a function that deletes children which are no longer in a set.
    pub prunes: Vec<Prune<K>>,
    pub events: Arc<Events>,
    /// The values of [`Manager::with_state`](crate::Manager::with_state).
    pub state: Arc<SharedState>,
    /// The types of state that the controller requires.
    pub required: Vec<Required>,
    /// The meaning of condition types.
    pub condition_events: ConditionEvents,
    /// The limit on status writes, per object.
    pub status_limits: RateLimits<ObjectRef<K>>,
}

impl<K: AnyObject> Shared<K> {
    /// Returns this controller's watches of a kind: several if it watches parts with different
    /// selectors.
    pub fn watched<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
    ) -> impl Iterator<Item = &WatchTarget> {
        let identity = Identity::of::<T>(kind);
        let watched = self.watched.iter();
        watched.filter(move |watched| watched.identity == identity)
    }

    /// Returns the caches of a kind, filled or not; empty if no controller watches the kind.
    pub fn caches<T: AnyObject>(&self, kind: &T::DynamicType) -> Caches<T> {
        let mut caches = self.informers.caches(kind);
        caches.trimmed = self.trimmed::<T>(kind);
        caches
    }

    /// Returns the caches of a kind that are filled and that this controller can read.
    ///
    /// # Errors
    /// Returns `NotWatched` and `NotSynced` like [`Context::get`].
    pub fn complete<T: AnyObject>(&self, kind: &T::DynamicType) -> Result<Caches<T>> {
        self.informers.complete(kind, self.trimmed::<T>(kind))
    }

    /// Returns this controller's watches of a kind if all of them are trimmed, else an empty list.
    fn trimmed<T: AnyObject>(&self, kind: &T::DynamicType) -> Vec<Watch> {
        let targets = self.watched::<T>(kind);
        let watches: Vec<&Watch> = targets.map(|target| &target.watch).collect();
        if watches.iter().any(|watch| watch.trim.is_none()) {
            return Vec::new();
        }
        watches.into_iter().cloned().collect()
    }
}

impl<K: AnyObject> Context<K> {
    /// Returns kube's client, for everything that this crate does not cover. With leader election,
    /// its write requests fail with [`NotLeader`](crate::NotLeader) as soon as the lease is lost.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use rustop_manager::prelude::*;
    /// # async fn example(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<()> {
    /// let version = ctx.client().apiserver_version().await?;
    /// tracing::info!(minor = version.minor, "connected");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the API of a kind in the object's namespace. It covers all namespaces if the kind or
    /// the object is cluster-scoped. Reads are not cached.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Pod};
    /// # use kube::api::LogParams;
    /// # use rustop_manager::prelude::*;
    /// # async fn example(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<()> {
    /// let pods = ctx.api::<Pod>();
    /// let log = pods.logs("web-0", &LogParams::default()).await?;
    /// # drop(log);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn api<T: Object>(&self) -> Api<T> {
        self.api_of(&())
    }

    /// Returns an object of an owned or watched kind from the cache, or `None` if it does not
    /// exist. It is looked up in the namespace of the reconciled object; use [`Context::get_in`]
    /// for other namespaces. No request is sent.
    ///
    /// The operator has one cache per kind, so the kind may also be watched by another controller
    /// of the manager. (Changes trigger only the controllers that watch the kind.)
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Service};
    /// # use rustop_manager::prelude::*;
    /// # fn example(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<()> {
    /// let Some(service) = ctx.get::<Service>("web")? else {
    ///     return Err(Error::new("NoService", "Service `web` not found"));
    /// };
    /// # drop(service);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns `NotWatched` if no controller watches the kind, and `NotSynced`, which is transient,
    /// if its cache is not filled yet. Returns `NotSelected` (see [`Watch`]) if the object is not
    /// in the cache but may exist, because only a part of the kind is watched. Returns `NotNamed`
    /// if the controller only [refers to](crate::Controller::refers_to) objects of the kind, and no
    /// object names this one. Returns `NoNamespace` if the kind is namespaced and the reconciled
    /// object is cluster-scoped.
    pub fn get<T: Object>(&self, name: &str) -> Result<Option<Arc<T>>> {
        self.get_of(&(), name)
    }

    /// Returns an object of another namespace from the cache, like [`Context::get`]. In the
    /// reconcile of a cluster-scoped object, all namespaced objects are in other namespaces.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::{Namespace, Secret};
    /// # use rustop_manager::prelude::*;
    /// # fn example(ctx: Context<Namespace>) -> Result<()> {
    /// let authority = ctx.get_in::<Secret>("certificates", "ca")?;
    /// # drop(authority);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Context::get`].
    pub fn get_in<T: Object>(&self, namespace: &str, name: &str) -> Result<Option<Arc<T>>> {
        self.get_in_of(&(), Some(namespace), name)
    }

    /// Returns the children of a kind from the cache, ordered by namespace and name: the objects
    /// whose owner reference names the reconciled object as their controller. Children that are
    /// being deleted are among them. No request is sent.
    ///
    /// The controller must own or watch the kind. If it watches a part of it, only the children in
    /// this part are returned. The first call indexes the cache by owner; later calls do not search
    /// all objects.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::batch::v1::{CronJob, Job};
    /// # use rustop_manager::prelude::*;
    /// async fn reconcile(_: Arc<CronJob>, ctx: Context<CronJob>) -> Result<Action> {
    ///     let jobs = ctx.children::<Job>()?;
    ///     let has_completed = |job: &Job| job.status.as_ref().is_some_and(|it| it.completion_time.is_some());
    ///     for job in jobs.iter().filter(|job| has_completed(job)) {
    ///         ctx.delete::<Job>(job.metadata.name.as_deref().unwrap_or_default()).await?;
    ///     }
    ///     Ok(Action::await_change())
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns `NotWatched` and `NotSynced` like [`Context::get`].
    pub fn children<T: Object>(&self) -> Result<Vec<Arc<T>>> {
        self.children_of(&())
    }

    /// Returns the children of a kind from the API server instead of the cache, in no particular
    /// order. The controller need not watch the kind. The request lists all objects of the kind in
    /// the namespace of the reconciled object, or in the cluster if it is cluster-scoped.
    ///
    /// [`Context::children`] is enough in most cases: it contains every child that this process
    /// created, and after a start or a change of the leader everything that the previous process
    /// created. Use this function before a [`create`](Context::create) that must not happen twice,
    /// and whose name does not prevent that (`generateName`). If an earlier `create` failed without
    /// a response (`Unreachable`, `TimedOut`), the child may exist, and the cache may not contain
    /// it yet.
    ///
    /// Needs `list` on the kind.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::batch::v1::{CronJob, Job};
    /// # use rustop_manager::prelude::*;
    /// # fn job(_: &CronJob) -> Job { todo!() }
    /// async fn reconcile(cron: Arc<CronJob>, ctx: Context<CronJob>) -> Result<Action> {
    ///     if ctx.children::<Job>()?.is_empty() && ctx.live_children::<Job>().await?.is_empty() {
    ///         ctx.create(job(&cron)).await?;
    ///     }
    ///     Ok(Action::await_change())
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns `Malformed` if a child does not fit its type, and the API server's error if it
    /// rejects the request or is unreachable.
    pub async fn live_children<T: Object>(&self) -> Result<Vec<Arc<T>>> {
        self.live_children_of(&()).await
    }

    /// Returns the state of a type, which was passed to
    /// [`Manager::with_state`](crate::Manager::with_state).
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use rustop_manager::prelude::*;
    /// struct Registrar {
    ///     address: String,
    /// }
    ///
    /// async fn reconcile(_: Arc<ConfigMap>, ctx: Context<ConfigMap>) -> Result<Action> {
    ///     let registrar = ctx.state::<Registrar>()?;
    ///     # drop(registrar.address.clone());
    ///     Ok(Action::await_change())
    /// }
    ///
    /// let address = "https://registrar.example.com".to_owned();
    /// let manager = Manager::new("names", "0.1.0", Options::default())
    ///     .with_state(Registrar { address })
    ///     .controller(Controller::new(reconcile).requires_state::<Registrar>());
    /// # drop(manager);
    /// ```
    ///
    /// # Errors
    /// Returns `NoState` if the controller does not declare the type with
    /// [`Controller::requires_state`](crate::Controller::requires_state). If it does, the state
    /// exists: the manager does not start without it.
    pub fn state<S: Send + Sync + 'static>(&self) -> Result<&S> {
        self.shared.state.get(&self.shared.required)
    }

    /// Returns true if the API server serves a kind that the controller owns or watches as an
    /// [optional](crate::KindWatch::optional) kind. If it does not, [`Context::get`] returns `None`
    /// and [`Context::apply`] fails. Returns false for a kind that no controller watches.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{apps::v1::Deployment, autoscaling::v2::HorizontalPodAutoscaler};
    /// # fn example(ctx: rustop_manager::Context<Deployment>) {
    /// if !ctx.is_available::<HorizontalPodAutoscaler>() {
    ///     return;
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn is_available<T: Object>(&self) -> bool {
        self.shared.caches::<T>(&()).is_served()
    }

    /// Does the same as [`Context::is_available`].
    #[deprecated(note = "use `is_available`")]
    #[must_use]
    pub fn served<T: Object>(&self) -> bool {
        self.is_available::<T>()
    }

    /// Returns the cache of an owned or watched kind, or of the controller's own kind, across all
    /// namespaces. It contains the objects that this controller watches; if it watches none or
    /// several parts of the kind, it is the cache of the whole kind. `managedFields` are not
    /// cached.
    ///
    /// The first call switches the cache of the kind to decoded objects, which takes several times
    /// the memory. To read single objects, [`Context::get`] is enough.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
    /// # fn example(ctx: rustop_manager::Context<Deployment>) -> rustop_manager::Result<()> {
    /// let secrets = ctx.store::<Secret>()?;
    /// let large = secrets.find(|secret| secret.data.as_ref().is_some_and(|data| data.len() > 100));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Context::get`], and `NotSelected` if there is no such cache.
    pub fn store<T: Object>(&self) -> Result<Store<T>> {
        self.store_of(&())
    }

    /// Returns the objects of a kind that an index of this controller has under `value`, across all
    /// namespaces and in no particular order. See
    /// [`Controller::indexed_by`](crate::Controller::indexed_by).
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::{Node, Pod};
    /// # use rustop_manager::prelude::*;
    /// // with `.indexed_by("node", |pod: &Pod| pod.spec.as_ref()?.node_name.clone())`
    /// async fn reconcile(node: Arc<Node>, ctx: Context<Node>) -> Result<Action> {
    ///     let name = node.metadata.name.as_deref().unwrap_or_default();
    ///     let pods = ctx.by_index::<Pod>("node", name)?;
    ///     # drop(pods);
    ///     Ok(Action::await_change())
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns `NotIndexed` if the controller has no such index, and the errors of
    /// [`Context::get`].
    pub fn by_index<T: Object>(&self, index: &str, value: &str) -> Result<Vec<Arc<T>>> {
        self.by_of(&(), index, value)
    }

    /// Does the same as [`Context::by_index`].
    ///
    /// # Errors
    /// Returns the errors of [`Context::by_index`].
    #[deprecated(note = "use `by_index`")]
    pub fn by<T: Object>(&self, index: &str, value: &str) -> Result<Vec<Arc<T>>> {
        self.by_index::<T>(index, value)
    }

    /// Returns the causes of this reconcile in a few words, such as `child Deployment/web, time`.
    /// The log contains them already. Do not decide by them: causes are lost when the operator
    /// restarts, while the state of the cluster is not.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use rustop_manager::prelude::*;
    /// # fn example(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<()> {
    /// tracing::debug!("reconciling because of {}", ctx.causes());
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn causes(&self) -> impl fmt::Display {
        &self.run.causes
    }

    /// Waits for a future that is not a request of this operator. If the reconcile takes long, the
    /// log says that it waits for `what`.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # async fn registered(_: &str) -> rustop_manager::Result<bool> { Ok(true) }
    /// # async fn example(ctx: rustop_manager::Context<Deployment>) -> rustop_manager::Result<()> {
    /// let is_registered = ctx.waiting_for("the registrar", registered("web")).await?;
    /// # Ok(()) }
    /// ```
    pub async fn waiting_for<T>(&self, what: &str, future: impl Future<Output = T>) -> T {
        let _wait = self.run.waits.begin(what.to_owned());
        future.await
    }

    /// Returns the current time, which is also used in conditions and events. In a test with
    /// virtual time it is the time of the in-memory cluster; use it instead of the machine's clock
    /// to decide whether something is due.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use k8s_openapi::api::batch::v1::Job;
    /// # use rustop_manager::{Action, Context};
    /// # fn example(job: Job, ctx: Context<Job>) -> Action {
    /// let created = job.metadata.creation_timestamp.map_or_else(|| ctx.now(), |time| time.0);
    /// let age = ctx.now().duration_since(created).unsigned_abs();
    /// Action::requeue(Duration::from_secs(3600).saturating_sub(age))
    /// # }
    /// ```
    #[must_use]
    pub fn now(&self) -> Timestamp {
        clock::now()
    }

    /// Returns a random number. In a test, it follows from the seed of the in-memory cluster, so
    /// that a failing test can be repeated; a random number from elsewhere makes each run
    /// different.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use k8s_openapi::api::batch::v1::Job;
    /// # use rustop_manager::{Action, Context};
    /// # fn example(ctx: Context<Job>) -> Action {
    /// // not all objects in the same second
    /// Action::requeue(Duration::from_secs(3600 + ctx.random() % 60))
    /// # }
    /// ```
    #[must_use]
    pub fn random(&self) -> u64 {
        random::number()
    }

    /// Publishes an event about the object. `reason` is one `CamelCase` word of up to 128 bytes,
    /// `note` a sentence of up to 1024 bytes; longer ones are shortened. Changes of conditions are
    /// published automatically. The event is sent in the background; if that fails, a warning is
    /// logged.
    ///
    /// A repeated event is counted instead of sent again. Per object, 25 events may be sent at
    /// once, then one every five minutes; further ones are dropped.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use rustop_manager::prelude::*;
    /// # fn example(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<()> {
    /// ctx.event(EventType::Warning, "NoEndpoints", "no Pod of the Service is ready");
    /// # Ok(()) }
    /// ```
    pub fn event(&self, type_: EventType, reason: &str, note: &str) {
        let about = self.object.object_ref(self.kind());
        self.shared.events.publish(about, type_, reason, note);
    }

    /// Returns the newest known state of the object, unless it was replaced by another object of
    /// the same name.
    pub(crate) fn newest(&self) -> Option<Arc<K>> {
        let cached = self.shared.main.newest(&self.object)?;
        (cached.meta().uid == self.object.meta().uid).then_some(cached)
    }

    /// Returns the key of the object.
    pub(crate) fn object_ref(&self) -> ObjectRef<K> {
        self.shared.main.key_of(self.object.meta())
    }
}
