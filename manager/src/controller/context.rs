//! What a reconcile works with: the object at hand, the caches, the API server.

use std::{fmt, sync::Arc};

use kube::{
    Api, Client,
    api::DeleteParams,
    runtime::{
        events::EventType,
        reflector::{ObjectRef, Store},
    },
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::{
    cache::{Cache, informer::Informers},
    controller::{
        Predicate,
        backoff::Failures,
        cause::Causes,
        loops::{Loops, Steps},
        under_way::Waits,
    },
    error::{Error, Result},
    events::Events,
    http::metrics::ControllerMetrics,
    limits::Limits,
    object::{self, Object, Scope},
    status::Draft,
};

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

/// What all reconciles of one controller share.
pub(crate) struct Shared<K: Object> {
    pub operator: String,
    pub field_manager: String,
    pub client: Client,
    pub main: Arc<Cache<K>>,
    /// Which changes of the object lead to a reconcile.
    pub matters: Predicate<K>,
    pub informers: Arc<Informers>,
    pub events: Arc<Events>,
    pub metrics: ControllerMetrics,
    pub failures: Failures<ObjectRef<K>>,
    pub loops: Loops<ObjectRef<K>>,
    /// How often the status of an object may be written.
    pub status_limits: Limits<ObjectRef<K>>,
    /// As many as objects may be worked on at the same time.
    pub turns: Arc<Semaphore>,
    pub stop: CancellationToken,
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
        T::Scope::api(
            self.client().clone(),
            self.object.meta().namespace.as_deref(),
        )
    }

    /// An object of an owned or watched kind, from the cache: no request is made. It is looked for
    /// in the object's namespace; see [`Context::store`] for others. `None` when there is none.
    ///
    /// The operator has one cache for each kind, so it may also be one that another controller of the
    /// manager watches. (Its changes lead to a reconcile only of whom watches it.)
    ///
    /// # Errors
    /// When no controller watches the kind (`NotWatched`), or the one that does has not seen all of it yet
    /// (`NotSynced`, which mends itself).
    pub fn get<T: Object>(&self, name: &str) -> Result<Option<Arc<T>>> {
        let cache = self.shared.informers.complete::<T>()?;
        Ok(cache.get(&self.key(name)))
    }

    /// The cache of an owned or watched kind, or of the controller's own, across all namespaces.
    /// `managedFields` are not kept in it.
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
    /// As for [`Context::get`].
    pub fn store<T: Object>(&self) -> Result<Store<T>> {
        let cache = self.shared.informers.complete::<T>()?;
        Ok(cache.reader().clone())
    }

    /// Deletes a child that is no longer wanted, if the object controls it. A child that is not
    /// there, and for owned kinds is known not to be there, costs no request.
    ///
    /// Needs `delete` on the kind.
    ///
    /// # Errors
    /// When the child belongs to another owner (`OwnedByAnother`) or to none (`NotOwned`), or the API server refuses or
    /// cannot be reached.
    pub async fn delete<T: Object>(&self, name: &str) -> Result<()> {
        let live = match self.shared.informers.complete::<T>() {
            Ok(cache) => cache.get(&self.key(name)),
            Err(_) => self.api::<T>().get_opt(name).await?.map(Arc::new),
        };
        let Some(live) = live.filter(|live| live.meta().deletion_timestamp.is_none()) else {
            return Ok(());
        };
        self.refuse_foreign(live.as_ref())?;
        if object::controller(live.meta()).is_none() {
            let child = object::label(live.meta());
            return Err(Error::new(
                "NotOwned",
                format!("{} {child} was not made for this object", T::kind(&())),
            ));
        }
        self.delete_exactly(live.as_ref()).await
    }

    /// Deletes what was made by [`Context::apply_unowned`], or anything else: exactly the object that
    /// was read, and not one of the same name that came after it. One that is gone or going already
    /// costs no second thought.
    ///
    /// Needs `delete` on the kind.
    ///
    /// # Errors
    /// When the API server refuses or cannot be reached.
    pub async fn delete_unowned<T: Object>(&self, live: &T) -> Result<()> {
        if live.meta().deletion_timestamp.is_some() {
            return Ok(());
        }
        self.delete_exactly(live).await
    }

    async fn delete_exactly<T: Object>(&self, live: &T) -> Result<()> {
        let meta = live.meta();
        let mut params = DeleteParams::background();
        params.preconditions = Some(kube::api::Preconditions {
            uid: meta.uid.clone(),
            resource_version: None,
        });
        let api = T::Scope::api::<T>(self.client().clone(), meta.namespace.as_deref());
        match api
            .delete(meta.name.as_deref().unwrap_or_default(), &params)
            .await
        {
            Err(kube::Error::Api(status)) if status.is_not_found() => {}
            result => drop(result?),
        }
        // The next reconcile must not take it for one that stays.
        if let Some(cache) = self.shared.informers.cache::<T>() {
            cache.doom(live);
        }
        Ok(())
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
        self.shared
            .events
            .publish(self.object.object_ref(&()), type_, reason, note);
    }

    fn key<T: Object>(&self, name: &str) -> ObjectRef<T> {
        match self
            .object
            .meta()
            .namespace
            .as_deref()
            .filter(|_| object::namespaced::<T>())
        {
            Some(namespace) => ObjectRef::new(name).within(namespace),
            None => ObjectRef::new(name),
        }
    }
}
