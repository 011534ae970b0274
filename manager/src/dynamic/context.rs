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

impl<K: AnyObject> Context<K> {
    /// Like [`Context::api`], for a kind that is known only at run time.
    #[must_use]
    pub fn api_kind(&self, kind: &Kind) -> Api<DynamicObject> {
        self.api_of(kind)
    }

    /// Like [`Context::get`], for a kind that is known only at run time.
    ///
    /// ```no_run
    /// # use rustop_manager::{Context, DynamicObject, Kind, Result};
    /// # async fn example(ctx: Context<DynamicObject>, widgets: Kind) -> Result<()> {
    /// let small = ctx.get_kind(&widgets, "small")?;
    /// if small.is_some_and(|small| small.data["spec"]["size"] == 1) {
    ///     ctx.delete_kind(&widgets, "small").await?;
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Context::get`].
    pub fn get_kind(&self, kind: &Kind, name: &str) -> Result<Option<Arc<DynamicObject>>> {
        self.get_of(kind, name)
    }

    /// Like [`Context::served`], for a kind that is known only at run time.
    #[must_use]
    pub fn served_kind(&self, kind: &Kind) -> bool {
        self.shared.caches::<DynamicObject>(kind).is_served()
    }

    /// Like [`Context::store`], for a kind that is known only at run time.
    ///
    /// # Errors
    /// Returns the errors of [`Context::store`].
    pub fn store_kind(&self, kind: &Kind) -> Result<Store<DynamicObject>> {
        self.store_of(kind)
    }

    /// Like [`Context::by`], for a kind that is known only at run time. The index is added by
    /// [`Controller::indexes_kind`](crate::Controller::indexes_kind).
    ///
    /// # Errors
    /// Returns the errors of [`Context::by`].
    pub fn by_kind(
        &self,
        kind: &Kind,
        index: &str,
        value: &str,
    ) -> Result<Vec<Arc<DynamicObject>>> {
        self.by_of(kind, index, value)
    }

    /// Like [`Context::apply`], for a kind that the controller need not watch. For a watched kind, [`Context::apply`]
    /// finds the names of the kind itself.
    ///
    /// # Errors
    /// Returns the errors of [`Context::apply`].
    pub async fn apply_kind(
        &self,
        kind: &Kind,
        child: DynamicObject,
    ) -> Result<Arc<DynamicObject>> {
        self.apply_of(kind, child).await
    }

    /// Like [`Context::delete`], for a kind that is known only at run time.
    ///
    /// # Errors
    /// Returns the errors of [`Context::delete`].
    pub async fn delete_kind(&self, kind: &Kind, name: &str) -> Result<()> {
        self.delete_of::<DynamicObject>(kind, name, PropagationPolicy::Background)
            .await
    }
}
