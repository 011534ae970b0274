//! What a reconcile works with: the object at hand, the caches, the API server.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::Arc,
};

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
    backoff::Failures,
    cache::Cache,
    controller::Predicate,
    error::{Error, Result},
    events::Events,
    metrics::ControllerMetrics,
    object::{self, Object, Scope},
    status::Draft,
};

/// Given to each reconcile, together with the object that it is about. Cheap to clone.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::{ConfigMap, Secret, Service}};
/// # use manager::{Action, Context, Error, EventType, Result};
/// # fn settings(_: &Deployment, _: &Secret) -> ConfigMap { todo!() }
/// async fn reconcile(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<Action> {
///     // from the cache, for kinds that the controller owns or watches
///     let Some(password) = ctx.get::<Secret>("password") else {
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
}

impl<K: Object> Clone for Context<K> {
    fn clone(&self) -> Self {
        Self {
            object: self.object.clone(),
            shared: self.shared.clone(),
            draft: self.draft.clone(),
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
    pub caches: Caches,
    pub events: Arc<Events>,
    pub metrics: ControllerMetrics,
    pub failures: Failures<ObjectRef<K>>,
    /// As many as objects may be worked on at the same time.
    pub turns: Semaphore,
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
    /// in the object's namespace; see [`Context::store`] for others.
    ///
    /// `None` when there is none, or when the controller neither owns nor watches the kind (which
    /// is also logged, as an error).
    #[must_use]
    pub fn get<T: Object>(&self, name: &str) -> Option<Arc<T>> {
        let Some(cache) = self.shared.caches.get::<T>() else {
            tracing::error!(
                "a {0} was looked up in the cache, but the controller does not watch any: add `.owns::<{0}>()` or \
                 `.watches::<{0}, _>(..)`, or read it with `ctx.api::<{0}>().get(name)`",
                T::kind(&())
            );
            return None;
        };
        cache.get(&self.key(name))
    }

    /// The cache of an owned or watched kind, or of the controller's own, across all namespaces.
    /// `managedFields` are not kept in it. `None` when the controller does not watch the kind.
    ///
    /// From the first call on, the objects of the kind are kept decoded, which takes several times the
    /// memory; for single ones [`Context::get`] is enough.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
    /// # fn example(ctx: manager::Context<Deployment>) -> Option<()> {
    /// let secrets = ctx.store::<Secret>()?;
    /// let large = secrets.find(|secret| secret.data.as_ref().is_some_and(|data| data.len() > 100));
    /// # Some(()) }
    /// ```
    #[must_use]
    pub fn store<T: Object>(&self) -> Option<Store<T>> {
        self.shared
            .caches
            .get::<T>()
            .map(|cache| cache.reader().clone())
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
        let live = match self.shared.caches.get::<T>() {
            Some(cache) => cache.get(&self.key(name)),
            None => self.api::<T>().get_opt(name).await?.map(Arc::new),
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
        if let Some(cache) = self.shared.caches.get::<T>() {
            cache.doom(live);
        }
        Ok(())
    }

    /// Publishes an event about the object. `reason` is one `CamelCase` word, `note` a sentence of
    /// up to 1024 bytes. Changes of conditions are published without this. Returns at once.
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

/// One cache for each kind.
#[derive(Default)]
pub(crate) struct Caches(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Caches {
    pub fn insert<T: Object>(&mut self, cache: Arc<Cache<T>>) {
        self.0.entry(TypeId::of::<T>()).or_insert(cache);
    }

    pub fn get<T: Object>(&self) -> Option<Arc<Cache<T>>> {
        self.0.get(&TypeId::of::<T>())?.clone().downcast().ok()
    }
}
