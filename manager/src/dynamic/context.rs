//! What a reconcile does with a kind that no type says.

use std::sync::Arc;

use kube::Api;
use kube::runtime::reflector::Store;

use crate::context::Context;
use crate::dynamic::object::DynamicObject;
use crate::error::Result;
use crate::kind::Kind;
use crate::object::AnyObject;

impl<K: AnyObject> Context<K> {
    /// As [`Context::api`], of a kind that is known only at run time.
    #[must_use]
    pub fn api_kind(&self, kind: &Kind) -> Api<DynamicObject> {
        self.api_of(kind)
    }

    /// As [`Context::get`], of a kind that is known only at run time.
    ///
    /// ```no_run
    /// # use manager::{Context, DynamicObject, Kind, Result};
    /// # async fn example(ctx: Context<DynamicObject>, widgets: Kind) -> Result<()> {
    /// let small = ctx.get_kind(&widgets, "small")?;
    /// if small.is_some_and(|small| small.data["spec"]["size"] == 1) {
    ///     ctx.delete_kind(&widgets, "small").await?;
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As for [`Context::get`].
    pub fn get_kind(&self, kind: &Kind, name: &str) -> Result<Option<Arc<DynamicObject>>> {
        self.get_of(kind, name)
    }

    /// As [`Context::served`], of a kind that is known only at run time.
    #[must_use]
    pub fn served_kind(&self, kind: &Kind) -> bool {
        self.shared.caches::<DynamicObject>(kind).is_served()
    }

    /// As [`Context::store`], of a kind that is known only at run time.
    ///
    /// # Errors
    /// As for [`Context::store`].
    pub fn store_kind(&self, kind: &Kind) -> Result<Store<DynamicObject>> {
        self.store_of(kind)
    }

    /// As [`Context::by`], of a kind that is known only at run time, for
    /// [`Controller::indexes_kind`](crate::Controller::indexes_kind).
    ///
    /// # Errors
    /// As for [`Context::by`].
    pub fn by_kind(
        &self,
        kind: &Kind,
        index: &str,
        value: &str,
    ) -> Result<Vec<Arc<DynamicObject>>> {
        self.by_of(kind, index, value)
    }

    /// As [`Context::apply`], of a kind that the controller need not watch: where it does, `apply` knows by itself how
    /// a kind is called in the API.
    ///
    /// # Errors
    /// As for [`Context::apply`].
    pub async fn apply_kind(
        &self,
        kind: &Kind,
        child: DynamicObject,
    ) -> Result<Arc<DynamicObject>> {
        self.apply_of(kind, child).await
    }

    /// As [`Context::delete`], of a kind that is known only at run time.
    ///
    /// # Errors
    /// As for [`Context::delete`].
    pub async fn delete_kind(&self, kind: &Kind, name: &str) -> Result<()> {
        self.delete_of::<DynamicObject>(kind, name).await
    }
}
