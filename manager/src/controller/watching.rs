//! The part of the builder that sets which kinds a controller watches.

use std::sync::Arc;

use futures::{Stream, StreamExt};
use kube::runtime::reflector::{ObjectRef, Store};
use serde::Serialize;

use crate::cache::index::{self, KeysOf};
use crate::cache::trimmed::Trimmed;
use crate::controller::{
    builder::Controller, kind_watch::KindWatch, references::NamesOf, source::Source,
};
use crate::object::{AnyObject, Object};

impl<K: AnyObject + Serialize> Controller<K> {
    /// Reconciles an object also when one of its children of kind `T` changes or is deleted, and
    /// caches all `T` for `ctx.apply` and `ctx.get`. A child has an owner reference to the object;
    /// `ctx.apply` sets it.
    ///
    /// Needs `get`, `list` and `watch` on the kind.
    ///
    /// ```
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Service};
    /// # use rustop_manager::prelude::*;
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// Controller::new(reconcile).owns::<Service>();
    /// ```
    #[must_use]
    pub fn owns<T: Object>(self) -> Self {
        self.add_source(Source::owned::<T>(()))
    }

    /// Reconciles an object also when one of those children changes that `watch` selects; see
    /// [`KindWatch`]. Use it for kinds with many objects in every cluster, such as Secrets, all of
    /// which [`Controller::owns`] would fetch and cache, and for kinds that a cluster may lack.
    ///
    /// Needs `get`, `list` and `watch` on the kind.
    ///
    /// ```
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
    /// # use rustop_manager::prelude::*;
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// Controller::new(reconcile).owns_matching(Watch::<Secret>::new().applied());
    /// ```
    #[must_use]
    pub fn owns_matching<T: AnyObject>(self, watch: KindWatch<T>) -> Self {
        let KindWatch { kind, settings } = watch;
        self.add_source(Source::owned::<T>(kind).with_settings(settings))
    }

    /// Limits [`Controller::owns`] to the objects that `watch` selects.
    #[deprecated(note = "use `.owns_matching(Watch::<Kind>::new()..)`")]
    #[must_use]
    pub fn owns_with<T: Object>(self, watch: impl Into<Trimmed<T>>) -> Self {
        self.add_source(Source::owned::<T>(()).only(watch.into().watch))
    }

    /// Does the same as [`Controller::owns`] for an optional kind.
    #[deprecated(note = "use `.owns_matching(Watch::<Kind>::new().optional())`")]
    #[must_use]
    pub fn owns_if_served<T: Object>(self) -> Self {
        self.add_source(Source::owned::<T>(()).if_served())
    }

    /// Reconciles the objects that `mapper` returns when a `T` changes or is deleted, and caches
    /// all `T` for `ctx.get`. With `PartialObjectMeta<T>` only metadata is fetched and cached. A
    /// panic of `mapper` is logged and counted like one of a reconcile, and every object is
    /// reconciled, because the change may concern each of them.
    ///
    /// Needs `get`, `list` and `watch` on the kind.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
    /// # use kube::{Resource, core::PartialObjectMeta, runtime::reflector::ObjectRef};
    /// # async fn reconcile(_: Arc<Deployment>, _: rustop_manager::Context<Deployment>) -> rustop_manager::Result<rustop_manager::Action> {
    /// #     Ok(rustop_manager::Action::await_change())
    /// # }
    /// // a Secret labelled `used-by: web` concerns the Deployment `web` next to it
    /// rustop_manager::Controller::new(reconcile).watches(|secret: &PartialObjectMeta<Secret>| {
    ///     let meta = secret.meta();
    ///     let user = meta.labels.as_ref()?.get("used-by")?;
    ///     Some(ObjectRef::new(user).within(meta.namespace.as_deref()?))
    /// });
    /// ```
    #[must_use]
    pub fn watches<T: Object, I>(self, mapper: impl Fn(&T) -> I + Send + Sync + 'static) -> Self
    where
        I: IntoIterator<Item = ObjectRef<K>>,
    {
        self.add_source(Source::mapped((), move |it: &T, _| mapper(it)))
    }

    /// Reconciles the objects that `mapper` returns when one of the objects changes that `watch`
    /// selects; see [`KindWatch`] and [`Controller::watches`].
    ///
    /// ```
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
    /// # use rustop_manager::prelude::*;
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// let used = Watch::<Secret>::new().labels("used-by");
    /// Controller::new(reconcile).watches_matching(used, |secret| {
    ///     let user = secret.metadata.labels.as_ref()?.get("used-by")?;
    ///     Some(ObjectRef::new(user).within(secret.metadata.namespace.as_deref()?))
    /// });
    /// ```
    #[must_use]
    pub fn watches_matching<T: AnyObject, I>(
        self,
        watch: KindWatch<T>,
        mapper: impl Fn(&T) -> I + Send + Sync + 'static,
    ) -> Self
    where
        I: IntoIterator<Item = ObjectRef<K>>,
    {
        let KindWatch { kind, settings } = watch;
        let source = Source::mapped(kind, move |it: &T, _| mapper(it));
        self.add_source(source.with_settings(settings))
    }

    /// Like [`Controller::watches_matching`], for a mapping that needs all objects of the
    /// controller's own kind: a change of a namespace, for example, may concern every one of them.
    /// `mapper` gets a store of these objects as its second argument. With this function, objects
    /// of the own kind are cached decoded, which takes several times the memory.
    ///
    /// ```
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Namespace};
    /// # use rustop_manager::prelude::*;
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// let namespaces = Watch::<Namespace>::new();
    /// Controller::new(reconcile).watches_with_store(namespaces, |_, deployments| {
    ///     let all = deployments.state().into_iter();
    ///     all.map(|one| ObjectRef::from_obj(one.as_ref())).collect::<Vec<_>>()
    /// });
    /// ```
    #[must_use]
    pub fn watches_with_store<T: AnyObject, I>(
        self,
        watch: KindWatch<T>,
        mapper: impl Fn(&T, &Store<K>) -> I + Send + Sync + 'static,
    ) -> Self
    where
        I: IntoIterator<Item = ObjectRef<K>>,
    {
        let KindWatch { kind, settings } = watch;
        let source = Source::mapped(kind, move |it: &T, all| mapper(it, all.reader()));
        self.add_source(source.with_settings(settings))
    }

    /// Limits [`Controller::watches`] to the objects that `watch` selects.
    #[deprecated(note = "use `.watches_matching(Watch::<Kind>::new().., mapper)`")]
    #[must_use]
    pub fn watches_only<T: Object, I>(
        self,
        watch: impl Into<Trimmed<T>>,
        mapper: impl Fn(&T) -> I + Send + Sync + 'static,
    ) -> Self
    where
        I: IntoIterator<Item = ObjectRef<K>>,
    {
        let source = Source::mapped((), move |it: &T, _| mapper(it));
        self.add_source(source.only(watch.into().watch))
    }

    /// Does the same as [`Controller::watches`] for an optional kind.
    #[deprecated(note = "use `.watches_matching(Watch::<Kind>::new().optional(), mapper)`")]
    #[must_use]
    pub fn watches_if_served<T: Object, I>(
        self,
        mapper: impl Fn(&T) -> I + Send + Sync + 'static,
    ) -> Self
    where
        I: IntoIterator<Item = ObjectRef<K>>,
    {
        let source = Source::mapped((), move |it: &T, _| mapper(it));
        self.add_source(source.if_served())
    }

    /// Does the same as [`Controller::watches_with_store`] for all objects of a kind.
    #[deprecated(note = "use `.watches_with_store(Watch::<Kind>::new(), mapper)`")]
    #[must_use]
    pub fn watches_with<T: Object, I>(
        self,
        mapper: impl Fn(&T, &Store<K>) -> I + Send + Sync + 'static,
    ) -> Self
    where
        I: IntoIterator<Item = ObjectRef<K>>,
    {
        self.watches_with_store(KindWatch::of(()), mapper)
    }

    /// Reconciles an object also when an object of kind `T` changes that it names, and caches the
    /// named objects for `ctx.get`. Other objects are neither cached nor listed. Use it if a spec
    /// names Secrets or `ConfigMap`s, which users create without a label of the operator.
    ///
    /// `names` returns the names in an object: `String`s for objects in its namespace, or pairs of
    /// namespace and name for those in others; see [`ObjectName`](crate::ObjectName). A named
    /// object is read before the reconcile of the first object that names it, so
    /// [`Context::get`](crate::Context::get) returns `None` only if it does not exist. When it is
    /// created, changed or deleted, every object that names it is reconciled. It is in the cache
    /// until no object names it any longer.
    ///
    /// The API server sends the metadata of each changed object of the kind, named or not. With
    /// `PartialObjectMeta<T>` only the metadata of named objects is read and cached, too.
    ///
    /// Needs `get`, `list` and `watch` on the kind.
    ///
    /// ```
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
    /// # use rustop_manager::prelude::*;
    /// async fn reconcile(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<Action> {
    ///     for name in pull_secrets(&web) {
    ///         if ctx.get::<Secret>(&name)?.is_none() {
    ///             return Err(Error::new("NoSecret", format!("Secret `{name}` not found")));
    ///         }
    ///     }
    ///     Ok(Action::await_change())
    /// }
    ///
    /// fn pull_secrets(web: &Deployment) -> Vec<String> {
    ///     let pod = web.spec.template.spec.iter();
    ///     let secrets = pod.flat_map(|pod| pod.image_pull_secrets.iter().flatten());
    ///     secrets.map(|secret| secret.name.clone()).collect()
    /// }
    ///
    /// Controller::new(reconcile).refers_to::<Secret>(pull_secrets);
    /// ```
    #[must_use]
    pub fn refers_to<T: Object>(self, names: impl NamesOf<K>) -> Self {
        self.add_source(Source::named::<T>((), names))
    }

    /// Adds an index to the cache of kind `T`, under the values that `keys` returns for each
    /// object. [`Context::by_index`](crate::Context::by_index) looks objects up in it without
    /// iterating over all of them. The controller must own or watch the kind, or it must be the
    /// controller's own kind. A second index of the same name for the same kind has no effect.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Pod};
    /// # use rustop_manager::{Action, Context, Controller, Result};
    /// async fn reconcile(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<Action> {
    ///     let on_first = ctx.by_index::<Pod>("node", "node-1")?;
    ///     # drop((web, on_first));
    ///     Ok(Action::await_change())
    /// }
    ///
    /// Controller::new(reconcile)
    ///     .owns::<Pod>()
    ///     .indexed_by("node", |pod: &Pod| pod.spec.as_ref()?.node_name.clone());
    /// ```
    #[must_use]
    pub fn indexed_by<T: Object, I>(
        self,
        name: &'static str,
        keys: impl Fn(&T) -> I + Send + Sync + 'static,
    ) -> Self
    where
        I: IntoIterator<Item = String>,
    {
        self.indexed((), name, keys)
    }

    /// Does the same as [`Controller::indexed_by`], also for a kind known only at run time.
    pub(crate) fn indexed<T: AnyObject, I>(
        mut self,
        kind: T::DynamicType,
        name: &'static str,
        keys: impl Fn(&T) -> I + Send + Sync + 'static,
    ) -> Self
    where
        I: IntoIterator<Item = String>,
    {
        let keys: KeysOf<T> = Arc::new(move |object| keys(object).into_iter().collect());
        self.indexes.push(Box::new(move |informers, field_manager| {
            let name = index::name(field_manager, name);
            for cache in informers.caches::<T>(&kind).all {
                cache.index(&name, keys.clone());
            }
        }));
        self
    }

    /// Adds a kind to watch.
    pub(crate) fn add_source(mut self, source: Source<K>) -> Self {
        self.sources.push(source);
        self
    }

    /// Reconciles also each object that a stream yields, for example from a timer, a webhook or
    /// another system. The stream is polled from the moment at which this replica leads; with
    /// sharding, in every replica, which ignores the objects of the others. An object that does not
    /// exist is ignored.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use futures::SinkExt;
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use kube::runtime::reflector::ObjectRef;
    /// # use rustop_manager::{Action, Context, Controller, Result};
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// let (mut doorbell, rings) = futures::channel::mpsc::channel(100);
    /// Controller::new(reconcile).triggered_by(rings);
    /// // and wherever something happens:
    /// # async move {
    /// doorbell.send(ObjectRef::new("web").within("default")).await
    /// # };
    /// ```
    #[must_use]
    pub fn triggered_by(
        mut self,
        objects: impl Stream<Item = ObjectRef<K>> + Send + 'static,
    ) -> Self {
        self.triggers.push(objects.boxed());
        self
    }
}
