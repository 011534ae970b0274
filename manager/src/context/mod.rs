//! What a reconcile works with: the object at hand, the caches, the API server. What it can do with children is in
//! `apply`, and what with the status of the object in `status`.

pub(crate) mod cause;
pub(crate) mod lookups;
pub(crate) mod steps;

use std::any::Any;
use std::collections::HashSet;
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
use crate::client::waits::Waits;
use crate::clock;
use crate::condition_events::ConditionEvents;
use crate::context::{cause::Causes, steps::Steps};
use crate::error::Result;
use crate::events::Events;
use crate::limits::Limits;
use crate::object::{AnyObject, AnyRef, Identity, Object};

/// Given to each reconcile, together with the object that it is about. Cheap to clone.
///
/// ```no_run
/// # use std::{fmt, sync::Arc};
/// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::{ConfigMap, Secret, Service}};
/// # use manager::{Action, Context, Error, EventType, Result};
/// # fn settings(_: &Deployment, _: &Secret) -> ConfigMap { todo!() }
/// async fn reconcile(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<Action> {
///     // from the cache, for kinds that the controller owns or watches
///     let Some(password) = ctx.get::<Secret>("password")? else {
///         return Err(Error::new("NoPassword", "there is no Secret `password`"));
///     };
///     // created, changed, or left alone if it is that already
///     let applied = ctx.apply(settings(&web, &password)).await?;
///     // from the API server
///     if ctx.api::<Service>().get_opt("web").await?.is_none() {
///         let note = format!("nothing reaches {:?}", applied.metadata.name);
///         ctx.event(EventType::Warning, "NoService", &note);
///     }
///     // what an earlier version of this operator has left behind
///     ctx.delete::<ConfigMap>("old-settings").await?;
///     Ok(Action::await_change())
/// }
/// ```
#[derive(Clone)]
pub struct Context<K: AnyObject> {
    pub(crate) object: Arc<K>,
    pub(crate) client: Client,
    pub(crate) shared: Arc<Shared<K>>,
    pub(crate) draft: Draft<K>,
    pub(crate) run: Arc<Run>,
}

/// What is noted of one reconcile.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub causes: Causes,
    pub waits: Waits,
    pub steps: Steps,
}

/// The status that a reconcile has set and nobody has written yet.
pub(crate) type Draft<K> = Arc<Mutex<Option<Box<dyn Drafted<K>>>>>;

/// A status, for those who do not know whether the kind has one.
pub(crate) trait Drafted<K: AnyObject>: Any + Send {
    fn write(self: Box<Self>, context: &Context<K>, pace: Pace) -> BoxFuture<'_, Result<()>>;
}

/// Deletes the members of one kind that are not in a set any more: of the object's set of that name all but these.
pub(crate) type Prune<K> = Arc<
    dyn Fn(Context<K>, String, Arc<HashSet<AnyRef>>) -> BoxFuture<'static, Result<Vec<AnyRef>>>
        + Send
        + Sync,
>;

/// How often a status may be written.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Pace {
    /// As often as one likes.
    Any,
    /// No more often than what waits for it can bear.
    Limited,
}

/// What the contexts of one controller share.
pub(crate) struct Shared<K: AnyObject> {
    pub operator: String,
    pub field_manager: String,
    pub client: Client,
    pub main: Arc<Cache<K>>,
    pub informers: Arc<Informers>,
    /// What the controller watches.
    pub watched: Vec<WatchTarget>,
    /// How to delete what is no longer in a set, of each kind that it watches.
    pub prunes: Vec<Prune<K>>,
    pub events: Arc<Events>,
    /// What the types of conditions mean.
    pub condition_events: ConditionEvents,
    /// How often the status of an object may be written.
    pub status_limits: Limits<ObjectRef<K>>,
}

impl<K: AnyObject> Shared<K> {
    pub fn watched<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
    ) -> impl Iterator<Item = &WatchTarget> {
        let identity = Identity::of::<T>(kind);
        let watched = self.watched.iter();
        watched.filter(move |watched| watched.identity == identity)
    }

    /// The caches of a kind, complete or not: none if no controller watches it.
    pub fn caches<T: AnyObject>(&self, kind: &T::DynamicType) -> Caches<T> {
        let mut caches = self.informers.caches(kind);
        caches.trimmed = self.trimmed::<T>(kind);
        caches
    }

    /// The caches of a kind, to look into.
    ///
    /// # Errors
    /// As for [`Context::get`].
    pub fn complete<T: AnyObject>(&self, kind: &T::DynamicType) -> Result<Caches<T>> {
        self.informers.complete(kind, self.trimmed::<T>(kind))
    }

    /// What this controller watches of a kind, if it watches no whole objects of it.
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
    /// kube's client, for whatever this crate has no words for. While leader election is on, a
    /// request of this client that would write is held back as soon as the lease is lost.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The API of a kind in the object's namespace (all of it for a cluster-scoped kind, or when
    /// the object itself is cluster-scoped). Reads through it are not cached.
    #[must_use]
    pub fn api<T: Object>(&self) -> Api<T> {
        self.api_of(&())
    }

    /// An object of an owned or watched kind, from the cache: no request is made. It is looked for
    /// in the object's namespace; see [`Context::store`] for others. `None` when there is none.
    ///
    /// The operator has one cache for each kind, so it may also be one that another controller of the
    /// manager watches. (Its changes lead to a reconcile only of whom watches it.)
    ///
    /// # Errors
    /// When no controller watches the kind (`NotWatched`), or the one that does has not seen all of it yet
    /// (`NotSynced`, which mends itself). And when it is not in the cache, but could be there all the same, because
    /// only a part of the kind is watched (`NotSelected`, see [`Watch`]).
    pub fn get<T: Object>(&self, name: &str) -> Result<Option<Arc<T>>> {
        self.get_of(&(), name)
    }

    /// Whether the API server serves a kind that the controller owns or watches
    /// [if it is served](crate::Controller::owns_if_served). While it does not, [`Context::get`] finds none, and
    /// [`Context::apply`] fails. False also of a kind that nobody watches.
    #[must_use]
    pub fn served<T: Object>(&self) -> bool {
        self.shared.caches::<T>(&()).is_served()
    }

    /// The cache of an owned or watched kind, or of the controller's own, across all namespaces: of what this
    /// controller watches of the kind, or of all of it where that is nothing or are several parts. `managedFields`
    /// are not kept in it.
    ///
    /// From the first call on, the objects of the kind are kept decoded, which takes several times the
    /// memory; for single ones [`Context::get`] is enough.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
    /// # fn example(ctx: manager::Context<Deployment>) -> manager::Result<()> {
    /// let secrets = ctx.store::<Secret>()?;
    /// let large = secrets.find(|secret| secret.data.as_ref().is_some_and(|data| data.len() > 100));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As for [`Context::get`]; and `NotSelected` where there is no such cache.
    pub fn store<T: Object>(&self) -> Result<Store<T>> {
        self.store_of(&())
    }

    /// The objects of a kind that an index of this controller has under `value`, across all namespaces and in no
    /// order; see [`Controller::indexed_by`](crate::Controller::indexed_by).
    ///
    /// # Errors
    /// When the controller has no such index (`NotIndexed`); and as for [`Context::get`].
    pub fn by<T: Object>(&self, index: &str, value: &str) -> Result<Vec<Arc<T>>> {
        self.by_of(&(), index, value)
    }

    /// What led to this reconcile, in a few words such as `child Deployment/web, time`. The log has it already;
    /// and nothing should be decided by it, because causes get lost when an operator restarts, and states do not.
    #[must_use]
    pub fn causes(&self) -> impl fmt::Display {
        &self.run.causes
    }

    /// Waits for something that this crate knows nothing of. If a reconcile takes long, the log names it.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # async fn registered(_: &str) -> manager::Result<bool> { Ok(true) }
    /// # async fn example(ctx: manager::Context<Deployment>) -> manager::Result<()> {
    /// let there = ctx.waiting_for("the registrar", registered("web")).await?;
    /// # Ok(()) }
    /// ```
    pub async fn waiting_for<T>(&self, what: &str, future: impl Future<Output = T>) -> T {
        let _wait = self.run.waits.begin(what.to_owned());
        future.await
    }

    /// The time now, by which conditions and events are stamped. In a test with virtual time it is that of the cluster in
    /// memory: decide by it rather than by the machine's clock whether something is due.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use k8s_openapi::api::batch::v1::Job;
    /// # use manager::{Action, Context};
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

    /// Publishes an event about the object. `reason` is one `CamelCase` word, `note` a sentence of
    /// up to 1024 bytes. Changes of conditions are published without this. Returns at once.
    ///
    /// What is said again is counted and not said again. About one object 25 events pass at once, then one in five
    /// minutes.
    pub fn event(&self, type_: EventType, reason: &str, note: &str) {
        let about = self.object.object_ref(self.kind());
        self.shared.events.publish(about, type_, reason, note);
    }

    /// The newest known state of the object, while it is the one that this reconcile is about.
    pub(crate) fn newest(&self) -> Option<Arc<K>> {
        let cached = self.shared.main.newest(&self.object)?;
        (cached.meta().uid == self.object.meta().uid).then_some(cached)
    }

    pub(crate) fn object_ref(&self) -> ObjectRef<K> {
        self.shared.main.key_of(self.object.meta())
    }
}
