//! Functions of the context for kinds that are known only at run time.

use std::sync::Arc;

use kube::Api;
use kube::api::PropagationPolicy;
use kube::runtime::reflector::Store;

use crate::context::Context;
use crate::dynamic::object::DynamicObject;
use crate::error::Result;
use crate::kind::Kind;
use crate::object::AnyObject;

/// The functions of a [`Context`] for one kind that is known only at run time. They have the names
/// of those that take the kind as a type parameter. [`Context::of_kind`] returns it.
///
/// ```no_run
/// # use rustop_manager::{DynamicObject, Kind, prelude::*};
/// # async fn example(ctx: Context<DynamicObject>, widgets: Kind) -> Result<()> {
/// let widgets = ctx.of_kind(&widgets);
/// let small = widgets.get("small")?;
/// if small.is_some_and(|small| small.data["spec"]["size"] == 1) {
///     widgets.delete("small").await?;
/// }
/// # Ok(()) }
/// ```
pub struct KindContext<'a, K: AnyObject> {
    context: &'a Context<K>,
    kind: &'a Kind,
}

impl<K: AnyObject> KindContext<'_, K> {
    /// Returns the API of the kind; see [`Context::api`].
    ///
    /// ```no_run
    /// # use rustop_manager::{DynamicObject, Kind, prelude::*};
    /// # async fn example(ctx: Context<DynamicObject>, widgets: Kind) -> Result<()> {
    /// let names = ctx.of_kind(&widgets).api().list_metadata(&Default::default()).await?;
    /// # drop(names);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn api(&self) -> Api<DynamicObject> {
        self.context.api_of(self.kind)
    }

    /// Returns an object from the cache; see [`Context::get`].
    ///
    /// ```no_run
    /// # use rustop_manager::{DynamicObject, Kind, prelude::*};
    /// # fn example(ctx: Context<DynamicObject>, widgets: Kind) -> Result<()> {
    /// let small = ctx.of_kind(&widgets).get("small")?;
    /// # drop(small);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Context::get`].
    pub fn get(&self, name: &str) -> Result<Option<Arc<DynamicObject>>> {
        self.context.get_of(self.kind, name)
    }

    /// Returns an object of another namespace from the cache; see [`Context::get_in`].
    ///
    /// ```no_run
    /// # use rustop_manager::{DynamicObject, Kind, prelude::*};
    /// # fn example(ctx: Context<DynamicObject>, widgets: Kind) -> Result<()> {
    /// let shared = ctx.of_kind(&widgets).get_in("shared", "small")?;
    /// # drop(shared);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Context::get`].
    pub fn get_in(&self, namespace: &str, name: &str) -> Result<Option<Arc<DynamicObject>>> {
        self.context.get_in_of(self.kind, Some(namespace), name)
    }

    /// Returns the children of this kind from the API server; see [`Context::live_children`].
    ///
    /// ```no_run
    /// # use rustop_manager::{DynamicObject, Kind, prelude::*};
    /// # async fn example(ctx: Context<DynamicObject>, widgets: Kind) -> Result<()> {
    /// let widgets = ctx.of_kind(&widgets);
    /// if widgets.children()?.is_empty() && widgets.live_children().await?.is_empty() {
    ///     // really none, also if the cache is behind
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Context::live_children`].
    pub async fn live_children(&self) -> Result<Vec<Arc<DynamicObject>>> {
        self.context.live_children_of(self.kind).await
    }

    /// Returns the children of this kind; see [`Context::children`].
    ///
    /// ```no_run
    /// # use rustop_manager::{DynamicObject, Kind, prelude::*};
    /// # fn example(ctx: Context<DynamicObject>, widgets: Kind) -> Result<()> {
    /// let count = ctx.of_kind(&widgets).children()?.len();
    /// # let _ = count;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Context::children`].
    pub fn children(&self) -> Result<Vec<Arc<DynamicObject>>> {
        self.context.children_of(self.kind)
    }

    /// Returns true if the API server serves the kind; see [`Context::is_available`].
    ///
    /// ```no_run
    /// # use rustop_manager::{DynamicObject, Kind, prelude::*};
    /// # fn example(ctx: Context<DynamicObject>, widgets: Kind) -> Result<()> {
    /// if !ctx.of_kind(&widgets).is_available() {
    ///     return Ok(());
    /// }
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn is_available(&self) -> bool {
        self.context
            .shared
            .caches::<DynamicObject>(self.kind)
            .is_served()
    }

    /// Returns the cache of the kind; see [`Context::store`].
    ///
    /// ```no_run
    /// # use rustop_manager::{DynamicObject, Kind, prelude::*};
    /// # fn example(ctx: Context<DynamicObject>, widgets: Kind) -> Result<()> {
    /// let large = ctx.of_kind(&widgets).store()?.find(|widget| widget.data["spec"]["size"] == 100);
    /// # drop(large);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Context::store`].
    pub fn store(&self) -> Result<Store<DynamicObject>> {
        self.context.store_of(self.kind)
    }

    /// Returns the objects that an index has under `value`; see [`Context::by_index`]. The index is
    /// added by [`Controller::indexes_kind`](crate::Controller::indexes_kind).
    ///
    /// ```no_run
    /// # use rustop_manager::{DynamicObject, Kind, prelude::*};
    /// # fn example(ctx: Context<DynamicObject>, widgets: Kind) -> Result<()> {
    /// let large = ctx.of_kind(&widgets).by_index("size", "100")?;
    /// # drop(large);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Context::by_index`].
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Arc<DynamicObject>>> {
        self.context.by_of(self.kind, index, value)
    }

    /// Applies a child of a kind that the controller need not watch; see [`Context::apply`], which
    /// finds the names of a watched kind itself.
    ///
    /// ```no_run
    /// # use rustop_manager::{DynamicObject, Kind, prelude::*};
    /// # async fn example(ctx: Context<DynamicObject>, widgets: Kind) -> Result<()> {
    /// let mut child = DynamicObject::new("small", &widgets);
    /// child.data["spec"]["size"] = 1.into();
    /// ctx.of_kind(&widgets).apply(child).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Context::apply`].
    pub async fn apply(&self, child: DynamicObject) -> Result<Arc<DynamicObject>> {
        self.context.apply_of(self.kind, child).await
    }

    /// Deletes a child; see [`Context::delete`].
    ///
    /// ```no_run
    /// # use rustop_manager::{DynamicObject, Kind, prelude::*};
    /// # async fn example(ctx: Context<DynamicObject>, widgets: Kind) -> Result<()> {
    /// ctx.of_kind(&widgets).delete("small").await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Context::delete`].
    pub async fn delete(&self, name: &str) -> Result<()> {
        self.delete_with_propagation(name, PropagationPolicy::Background)
            .await
    }

    /// Deletes a child with a propagation; see [`Context::delete_with_propagation`].
    ///
    /// ```no_run
    /// # use kube::api::PropagationPolicy;
    /// # use rustop_manager::{DynamicObject, Kind, prelude::*};
    /// # async fn example(ctx: Context<DynamicObject>, widgets: Kind) -> Result<()> {
    /// let widgets = ctx.of_kind(&widgets);
    /// widgets.delete_with_propagation("small", PropagationPolicy::Foreground).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Context::delete`].
    pub async fn delete_with_propagation(
        &self,
        name: &str,
        propagation: PropagationPolicy,
    ) -> Result<()> {
        self.context
            .delete_of::<DynamicObject>(self.kind, name, propagation)
            .await
    }
}

impl<K: AnyObject> Context<K> {
    /// Returns the functions of this context for a kind that is known only at run time.
    ///
    /// ```no_run
    /// # use rustop_manager::{DynamicObject, Kind, prelude::*};
    /// # fn example(ctx: Context<DynamicObject>, widgets: Kind) -> Result<()> {
    /// let small = ctx.of_kind(&widgets).get("small")?;
    /// # drop(small);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn of_kind<'a>(&'a self, kind: &'a Kind) -> KindContext<'a, K> {
        KindContext {
            context: self,
            kind,
        }
    }

    /// Does the same as [`KindContext::api`].
    #[deprecated(note = "use `ctx.of_kind(&kind).api()`")]
    #[must_use]
    pub fn api_kind(&self, kind: &Kind) -> Api<DynamicObject> {
        self.of_kind(kind).api()
    }

    /// Does the same as [`KindContext::get`].
    ///
    /// # Errors
    /// Returns the errors of [`Context::get`].
    #[deprecated(note = "use `ctx.of_kind(&kind).get(name)`")]
    pub fn get_kind(&self, kind: &Kind, name: &str) -> Result<Option<Arc<DynamicObject>>> {
        self.of_kind(kind).get(name)
    }

    /// Does the same as [`KindContext::is_available`].
    #[deprecated(note = "use `ctx.of_kind(&kind).is_available()`")]
    #[must_use]
    pub fn served_kind(&self, kind: &Kind) -> bool {
        self.of_kind(kind).is_available()
    }

    /// Does the same as [`KindContext::store`].
    ///
    /// # Errors
    /// Returns the errors of [`Context::store`].
    #[deprecated(note = "use `ctx.of_kind(&kind).store()`")]
    pub fn store_kind(&self, kind: &Kind) -> Result<Store<DynamicObject>> {
        self.of_kind(kind).store()
    }

    /// Does the same as [`KindContext::by_index`].
    ///
    /// # Errors
    /// Returns the errors of [`Context::by_index`].
    #[deprecated(note = "use `ctx.of_kind(&kind).by_index(index, value)`")]
    pub fn by_kind(
        &self,
        kind: &Kind,
        index: &str,
        value: &str,
    ) -> Result<Vec<Arc<DynamicObject>>> {
        self.of_kind(kind).by_index(index, value)
    }

    /// Does the same as [`KindContext::apply`].
    ///
    /// # Errors
    /// Returns the errors of [`Context::apply`].
    #[deprecated(note = "use `ctx.of_kind(&kind).apply(child)`")]
    pub async fn apply_kind(
        &self,
        kind: &Kind,
        child: DynamicObject,
    ) -> Result<Arc<DynamicObject>> {
        self.of_kind(kind).apply(child).await
    }

    /// Does the same as [`KindContext::delete`].
    ///
    /// # Errors
    /// Returns the errors of [`Context::delete`].
    #[deprecated(note = "use `ctx.of_kind(&kind).delete(name)`")]
    pub async fn delete_kind(&self, kind: &Kind, name: &str) -> Result<()> {
        self.of_kind(kind).delete(name).await
    }
}
