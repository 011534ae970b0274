//! What a reconcile works with: the object at hand, the caches, the API server. What it can do with children is in
//! `apply`, and what with the status of the object in `status`.

pub(crate) mod cause;
pub(crate) mod steps;

use std::any::{Any, TypeId};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use kube::{
    Api, Client,
    runtime::{
        events::EventType,
        reflector::{ObjectRef, Store},
    },
};
use parking_lot::Mutex;

use crate::cache::{
    Cache, caches::Caches, index, informer::Informers, selection::Watch, watch_target::WatchTarget,
};
use crate::client::waits::Waits;
use crate::context::{cause::Causes, steps::Steps};
use crate::error::{Error, Result};
use crate::events::Events;
use crate::limits::Limits;
use crate::object::{self, AnyRef, Object, Scope};

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
pub struct Context<K: Object> {
    pub(crate) object: Arc<K>,
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

impl<K: Object> Clone for Context<K> {
    fn clone(&self) -> Self {
        Self {
            object: self.object.clone(),
            shared: self.shared.clone(),
            draft: self.draft.clone(),
            run: self.run.clone(),
        }
    }
}

/// The status that a reconcile has set and nobody has written yet.
pub(crate) type Draft<K> = Arc<Mutex<Option<Box<dyn Drafted<K>>>>>;

/// A status, for those who do not know whether the kind has one.
pub(crate) trait Drafted<K: Object>: Any + Send {
    fn write(self: Box<Self>, context: &Context<K>, pace: Pace) -> BoxFuture<'_, Result<()>>;
}

/// Deletes the members of one kind that are not in a set any more: of the object's set of that name all but these.
pub(crate) type Prune<K> =
    fn(Context<K>, String, Arc<HashSet<AnyRef>>) -> BoxFuture<'static, Result<Vec<AnyRef>>>;

/// How often a status may be written.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Pace {
    /// As often as one likes.
    Any,
    /// No more often than what waits for it can bear.
    Limited,
}

/// What the contexts of one controller share.
pub(crate) struct Shared<K: Object> {
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
    /// How often the status of an object may be written.
    pub status_limits: Limits<ObjectRef<K>>,
}

impl<K: Object> Shared<K> {
    pub fn watched<T: Object>(&self) -> impl Iterator<Item = &WatchTarget> {
        let watched = self.watched.iter();
        watched.filter(|watched| watched.type_id == TypeId::of::<T>())
    }

    /// The caches of a kind, complete or not: none if no controller watches it.
    pub fn caches<T: Object>(&self) -> Caches<T> {
        let mut caches = self.informers.caches();
        caches.trimmed = self.trimmed::<T>();
        caches
    }

    /// The caches of a kind, to look into.
    ///
    /// # Errors
    /// As for [`Context::get`].
    pub fn complete<T: Object>(&self) -> Result<Caches<T>> {
        self.informers.complete(self.trimmed::<T>())
    }

    /// What this controller watches of a kind, if it watches no whole objects of it.
    fn trimmed<T: Object>(&self) -> Vec<Watch> {
        let watches: Vec<&Watch> = self.watched::<T>().map(|watched| &watched.watch).collect();
        if watches.iter().any(|watch| watch.trim.is_none()) {
            return Vec::new();
        }
        watches.into_iter().cloned().collect()
    }
}

impl<K: Object> Context<K> {
    /// kube's client, for whatever this crate has no words for. While leader election is on, a
    /// request of this client that would write is held back as soon as the lease is lost.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.shared.client
    }

    /// The API of a kind in the object's namespace (all of it for a cluster-scoped kind, or when
    /// the object itself is cluster-scoped). Reads through it are not cached.
    #[must_use]
    pub fn api<T: Object>(&self) -> Api<T> {
        let namespace = self.object.meta().namespace.as_deref();
        T::Scope::api(self.client().clone(), namespace)
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
        let caches = self.shared.complete::<T>()?;
        match caches.get(&self.key(name)) {
            Some((_, object)) => Ok(Some(object)),
            None if caches.whole().is_some() => Ok(None),
            None => Err(not_selected::<T>(&format!("{name:?} is not among those"))),
        }
    }

    /// Whether the API server serves a kind that the controller owns or watches
    /// [if it is served](crate::Controller::owns_if_served). While it does not, [`Context::get`] finds none, and
    /// [`Context::apply`] fails. False also of a kind that nobody watches.
    #[must_use]
    pub fn served<T: Object>(&self) -> bool {
        self.shared.caches::<T>().is_served()
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
        let caches = self.shared.complete::<T>()?;
        let mut parts = self.shared.watched::<T>().map(|watched| &watched.watch);
        let first = parts.next();
        let only = first.filter(|first| parts.all(|part| part == *first));
        let cache = only.and_then(|only| caches.of(only));
        match cache.or_else(|| caches.whole()) {
            Some(cache) => Ok(cache.reader().clone()),
            None => Err(not_selected::<T>("not by one watch of this controller")),
        }
    }

    /// The objects of a kind that an index of this controller has under `value`, across all namespaces and in no
    /// order; see [`Controller::indexed_by`](crate::Controller::indexed_by).
    ///
    /// # Errors
    /// When the controller has no such index (`NotIndexed`); and as for [`Context::get`].
    pub fn by<T: Object>(&self, index: &str, value: &str) -> Result<Vec<Arc<T>>> {
        let caches = self.shared.complete::<T>()?;
        let name = index::name(&self.shared.field_manager, index);
        let found = caches.seen();
        let found = found.filter_map(|cache| cache.under(&name, value));
        let found: Vec<Vec<ObjectRef<T>>> = found.collect();
        if found.is_empty() {
            let kind = T::kind(&());
            let text = format!(
                "this controller has no index {index:?} of {kind}: add `.indexed_by({index:?}, |it: &{kind}| ..)`"
            );
            return Err(Error::new("NotIndexed", text));
        }
        let keys: HashSet<_> = found.into_iter().flatten().collect();
        let objects = keys.iter().filter_map(|key| Some(caches.get(key)?.1));
        Ok(objects.collect())
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

    /// Publishes an event about the object. `reason` is one `CamelCase` word, `note` a sentence of
    /// up to 1024 bytes. Changes of conditions are published without this. Returns at once.
    ///
    /// What is said again is counted and not said again. About one object 25 events pass at once, then one in five
    /// minutes.
    pub fn event(&self, type_: EventType, reason: &str, note: &str) {
        let about = self.object.object_ref(&());
        self.shared.events.publish(about, type_, reason, note);
    }

    /// The newest known state of the object, while it is the one that this reconcile is about.
    pub(crate) fn newest(&self) -> Option<Arc<K>> {
        let cached = self.shared.main.get(&self.object_ref())?;
        (cached.meta().uid == self.object.meta().uid).then_some(cached)
    }

    pub(crate) fn object_ref(&self) -> ObjectRef<K> {
        ObjectRef::from_obj(self.object.as_ref())
    }

    fn key<T: Object>(&self, name: &str) -> ObjectRef<T> {
        object::key(name, self.object.meta().namespace.as_deref())
    }
}

/// Not in the cache is not the same as not there.
fn not_selected<T: Object>(why: &str) -> Error {
    let kind = T::kind(&());
    Error::new(
        "NotSelected",
        format!(
            "only a part of all {kind} is watched, and {why}: read it with `ctx.api::<{kind}>()`, or watch more"
        ),
    )
}
