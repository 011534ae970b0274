//! Controllers of kinds that are known only at run time, and controllers that watch such kinds.

use std::{future::Future, sync::Arc};

use kube::runtime::reflector::ObjectRef;
use serde::Serialize;

use crate::context::Context;
use crate::controller::{action::Action, builder::Controller, references::NamesOf, source::Source};
use crate::dynamic::{kind::WatchedKind, object::DynamicObject};
use crate::error::Result;
use crate::kind::Kind;
use crate::object::AnyObject;

impl Controller<DynamicObject> {
    /// Creates a controller of a kind that is known only at run time. It works like any other
    /// controller; see [`Kind`] and [`DynamicObject`].
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use kube::discovery::{ApiCapabilities, ApiResource};
    /// # use rustop_manager::{Action, Conditions as _, Context, Controller, DynamicObject, Manager, Result, condition};
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # fn notes(_: &DynamicObject) -> ConfigMap { todo!() }
    /// async fn reconcile(object: Arc<DynamicObject>, ctx: Context<DynamicObject>) -> Result<Action> {
    ///     ctx.apply(notes(&object)).await?;
    ///     ctx.set_status(|status| {
    ///         status["size"] = object.data["spec"]["size"].clone();
    ///         status["conditions"].set(condition::true_because("Ready", "Noted", "the notes exist"));
    ///     });
    ///     Ok(Action::await_change())
    /// }
    ///
    /// # fn example(mut manager: Manager, kinds: Vec<(ApiResource, ApiCapabilities)>) -> Manager {
    /// for kind in kinds {
    ///     let controller = Controller::of_kind(kind, reconcile)
    ///         .owns::<ConfigMap>()
    ///         .conditions(|status| &mut status["conditions"]);
    ///     manager = manager.controller(controller);
    /// }
    /// # manager }
    /// ```
    pub fn of_kind<F, R>(kind: impl Into<Kind>, reconcile: F) -> Self
    where
        F: Fn(Arc<DynamicObject>, Context<DynamicObject>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action>> + Send + 'static,
    {
        Self::of(kind.into(), reconcile)
    }
}

impl<K: AnyObject + Serialize> Controller<K> {
    /// Does the same as [`Controller::owns`] for a kind that is known only at run time.
    #[deprecated(note = "use `.owns_matching(Watch::of_kind(kind))`")]
    #[must_use]
    pub fn owns_kind(self, watched: impl Into<WatchedKind>) -> Self {
        let WatchedKind { kind, settings } = watched.into();
        self.add_source(Source::owned::<DynamicObject>(kind).with_settings(settings))
    }

    /// Does the same as [`Controller::watches`] for a kind that is known only at run time.
    #[deprecated(note = "use `.watches_matching(Watch::of_kind(kind), mapper)`")]
    #[must_use]
    pub fn watches_kind<I>(
        self,
        watched: impl Into<WatchedKind>,
        mapper: impl Fn(&DynamicObject) -> I + Send + Sync + 'static,
    ) -> Self
    where
        I: IntoIterator<Item = ObjectRef<K>>,
    {
        let WatchedKind { kind, settings } = watched.into();
        let source = Source::mapped(kind, move |it: &DynamicObject, _| mapper(it));
        self.add_source(source.with_settings(settings))
    }

    /// Like [`Controller::refers_to`], for a kind that is known only at run time.
    ///
    /// ```
    /// # use rustop_manager::{DynamicObject, Kind, prelude::*};
    /// # async fn reconcile(_: Arc<DynamicObject>, _: Context<DynamicObject>) -> Result<Action> { todo!() }
    /// # fn example(widgets: Kind, templates: Kind) -> Controller<DynamicObject> {
    /// Controller::of_kind(widgets, reconcile).refers_to_kind(templates, |widget: &DynamicObject| {
    ///     widget.data["spec"]["template"].as_str().map(str::to_owned)
    /// })
    /// # }
    /// ```
    #[must_use]
    pub fn refers_to_kind(self, kind: Kind, names: impl NamesOf<K>) -> Self {
        self.add_source(Source::named::<DynamicObject>(kind, names))
    }

    /// Like [`Controller::indexed_by`], for a kind that is known only at run time.
    /// [`KindContext::by_index`](crate::KindContext::by_index) looks objects up in the index.
    ///
    /// ```
    /// # use rustop_manager::{DynamicObject, Kind, prelude::*};
    /// # async fn reconcile(_: Arc<DynamicObject>, _: Context<DynamicObject>) -> Result<Action> { todo!() }
    /// # fn example(widgets: Kind) -> Controller<DynamicObject> {
    /// Controller::of_kind(widgets.clone(), reconcile)
    ///     .indexes_kind(widgets, "size", |widget| Some(widget.data["spec"]["size"].to_string()))
    /// # }
    /// ```
    #[must_use]
    pub fn indexes_kind<I>(
        self,
        kind: Kind,
        name: &'static str,
        keys: impl Fn(&DynamicObject) -> I + Send + Sync + 'static,
    ) -> Self
    where
        I: IntoIterator<Item = String>,
    {
        self.indexed(kind, name, keys)
    }
}
