//! `Context::delete`: deletes children that are no longer wanted.

use std::sync::Arc;

use kube::api::{Api, DeleteParams, Preconditions, PropagationPolicy};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::object::{self, AnyObject, KindOf, Object};

impl<K: AnyObject> Context<K> {
    /// Deletes a child that is no longer wanted, if the object controls it. Succeeds if the child
    /// does not exist; for an owned kind, that is known without a request.
    ///
    /// The propagation is `Background`: the child is removed at once (after its finalizers), and
    /// the garbage collector deletes the child's own children after that.
    /// [`Context::delete_with_propagation`] takes another one.
    ///
    /// Needs `delete` on the kind.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
    /// # use rustop_manager::prelude::*;
    /// # async fn example(ctx: Context<Deployment>) -> Result<()> {
    /// ctx.delete::<ConfigMap>("old-settings").await
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns `OwnedByAnother` if the child belongs to another owner, `NotOwned` if it has no
    /// owner, `NoNamespace` if the kind is namespaced and the object is cluster-scoped, and the API
    /// server's error if it rejects the request or is unreachable.
    pub async fn delete<T: Object>(&self, name: &str) -> Result<()> {
        self.delete_of::<T>(&(), name, PropagationPolicy::Background)
            .await
    }

    /// Deletes a child like [`Context::delete`], with another propagation. `Foreground` keeps the
    /// child, with the finalizer `foregroundDeletion`, until its own children are deleted. `Orphan`
    /// deletes the child, but not its children, which then have no owner.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{batch::v1::{CronJob, Job}};
    /// # use kube::api::PropagationPolicy;
    /// # use rustop_manager::prelude::*;
    /// # async fn example(ctx: Context<CronJob>) -> Result<()> {
    /// // the Job exists until its Pods are gone
    /// ctx.delete_with_propagation::<Job>("backup", PropagationPolicy::Foreground).await
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Context::delete`].
    pub async fn delete_with_propagation<T: Object>(
        &self,
        name: &str,
        propagation: PropagationPolicy,
    ) -> Result<()> {
        self.delete_of::<T>(&(), name, propagation).await
    }

    pub(crate) async fn delete_of<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
        name: &str,
        propagation: PropagationPolicy,
    ) -> Result<()> {
        self.require_namespace::<T>(kind, name)?;
        let live = match self.get_of::<T>(kind, name) {
            Ok(live) => live,
            // The cache cannot tell: it is not filled, or does not cover the object.
            Err(_) => self.api_of::<T>(kind).get_opt(name).await?.map(Arc::new),
        };
        let Some(live) = live.filter(|live| live.meta().deletion_timestamp.is_none()) else {
            return Ok(());
        };
        self.refuse_foreign(kind, live.as_ref())?;
        if object::controller(live.meta()).is_none() {
            let child = object::label(live.meta());
            return Err(Error::new(
                "NotOwned",
                format!(
                    "cannot delete {} {child}: it has no owner reference to this object; help: use \
                     `ctx.delete_object()`",
                    T::kind(kind)
                ),
            ));
        }
        let params = DeleteParams {
            propagation_policy: Some(propagation),
            ..DeleteParams::default()
        };
        self.delete_as(kind, live.as_ref(), params).await
    }

    /// Deletes an object that was read before, of any owner or none: one that was applied by
    /// [`Context::apply_unowned`], a child in another namespace, or any other object. Check its
    /// owner first. Only this object is deleted, never a new one of the same name. Succeeds if the
    /// object is already gone or being deleted.
    ///
    /// Needs `delete` on the kind.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
    /// # use rustop_manager::prelude::*;
    /// async fn cleanup(_: Arc<Deployment>, ctx: Context<Deployment>) -> Result<()> {
    ///     if let Some(dashboard) = ctx.get_in::<ConfigMap>("monitoring", "web")? {
    ///         ctx.delete_object(dashboard.as_ref()).await?;
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the API server rejects the request or is unreachable.
    pub async fn delete_object<T: AnyObject>(&self, live: &T) -> Result<()> {
        if live.meta().deletion_timestamp.is_some() {
            return Ok(());
        }
        let kind = self.kind_of(live)?;
        self.delete_as(&kind, live, DeleteParams::background())
            .await
    }

    /// Does the same as [`Context::delete_object`].
    ///
    /// # Errors
    /// Returns the errors of [`Context::delete_object`].
    #[deprecated(note = "use `delete_object`")]
    pub async fn delete_unowned<T: AnyObject>(&self, live: &T) -> Result<()> {
        self.delete_object(live).await
    }

    /// Deletes an object only if it is unchanged since it was read: its owner may have changed.
    pub(super) async fn delete_unchanged<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
        live: &T,
    ) -> Result<()> {
        let meta = live.meta();
        let only = Preconditions {
            uid: meta.uid.clone(),
            resource_version: meta.resource_version.clone(),
        };
        let params = DeleteParams::background().preconditions(only);
        self.delete_by(kind, live, &params).await
    }

    /// Deletes the object that was read, but not a new one of the same name.
    pub(super) async fn delete_as<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
        live: &T,
        params: DeleteParams,
    ) -> Result<()> {
        let only = Preconditions {
            uid: live.meta().uid.clone(),
            resource_version: None,
        };
        self.delete_by(kind, live, &params.preconditions(only))
            .await
    }

    /// Deletes the object with the name of `live`. Succeeds if it does not exist.
    async fn delete_by<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
        live: &T,
        params: &DeleteParams,
    ) -> Result<()> {
        let meta = live.meta();
        let api: Api<T> = kind.api(self.client().clone(), meta.namespace.as_deref());
        let name = meta.name.as_deref().unwrap_or_default();
        match api.delete(name, params).await {
            Err(kube::Error::Api(status)) if status.is_not_found() => {}
            Err(error) => {
                return Err(Error::from(error).of_request("delete", &T::kind(kind), meta));
            }
            Ok(_) => {}
        }
        // The next reconcile must not find the object in the cache and consider it present.
        self.shared.caches::<T>(kind).mark_deleted(live);
        Ok(())
    }
}
