//! `Context::apply`, `adopt`, `create` and `apply_unowned`: write one child of the reconciled
//! object. The submodules decide which objects they may change, and build `apply_all`,
//! `apply_in_order` and the deletion of children on them.

pub(crate) mod claim;
pub(crate) mod delete;
pub(crate) mod desired;
pub(crate) mod ownership;
pub(crate) mod sequence;
pub(crate) mod set;

use std::sync::Arc;

use kube::ResourceExt;
use kube::api::{Patch, PatchParams, PostParams};
use kube::core::Request;
use serde::Serialize;
use serde_json::Value;

use crate::apply::claim::{Claim, Precondition};
use crate::apply::desired::Wanted;
use crate::cache::caches::Caches;
use crate::cache::decoded::Decoded;
use crate::cache::undecoded::Undecoded;
use crate::context::{Context, write_log::difference};
use crate::error::{Error, Result};
use crate::managed_fields;
use crate::object::{self, AnyObject, KindOf};
use crate::rbac::Permission;
use crate::reason::Reason;

impl<K: AnyObject> Context<K> {
    /// Brings `child` to the desired state by server-side apply, creating it if necessary, and
    /// returns the live object.
    ///
    /// - Set only the fields that you want to own. A field that you set is restored if someone
    ///   changes it, a field that you no longer set is removed, and a field that you never set is
    ///   left to others.
    /// - Nothing is written if the live object already has the desired state. For a kind that the
    ///   controller `owns` or `watches`, the cache shows this without a request; for other kinds,
    ///   each call reads the object first.
    /// - The child gets the namespace of the object unless it has its own, an owner reference (so
    ///   it is deleted with the object), and the labels `app.kubernetes.io/managed-by` and
    ///   `app.kubernetes.io/instance` unless you set them.
    ///
    /// An existing object is changed only if it is a child of this object: if it has the owner
    /// reference, or if this controller applied it before. Any other existing object is left alone
    /// (`NotOwned`), so that creating a custom resource does not give its author power over objects
    /// of the same name. To take over such an object, use [`Context::adopt`], or annotate it with
    /// `<group of the owner>/adopt: <Kind>/<name>` of the owner, for example `kubectl annotate
    /// service db example.com/adopt=Page/db`.
    ///
    /// Needs `create` and `patch` on the kind, and `get` if the controller does not watch it. To
    /// apply several children concurrently: `let (a, b) = tokio::join!(ctx.apply(a),
    /// ctx.apply(b));` and then `a?` and `b?`. (Do not use `try_join!`, which drops one apply if
    /// the other fails.)
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
    /// # use rustop_manager::prelude::*;
    /// # fn settings(_: &Deployment) -> ConfigMap { todo!() }
    /// # async fn example(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<()> {
    /// let live = ctx.apply(settings(&web)).await?;
    /// tracing::debug!(version = live.metadata.resource_version, "applied");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns `NoName` if the child has no name, `NotOwned` if an object of this name exists that
    /// this controller did not create, `OwnedByAnother` if the child belongs to another owner,
    /// `NotOwnable` if the object has a namespace and the child is cluster-scoped or in another
    /// namespace, `NotSelected` if the controller's watch does not select the child, and the API
    /// server's error if it rejects the request or is unreachable.
    pub async fn apply<T>(&self, child: T) -> Result<Arc<T>>
    where
        T: AnyObject + Serialize,
    {
        let kind = self.kind_of(&child)?;
        self.apply_of(&kind, child).await
    }

    /// Applies like [`Context::apply`], with `kind` instead of the kind that follows from the
    /// child.
    pub(crate) async fn apply_of<T>(&self, kind: &T::DynamicType, mut child: T) -> Result<Arc<T>>
    where
        T: AnyObject + Serialize,
    {
        self.own(kind, &mut child)?;
        self.bring_about(kind, child, Claim::Own).await
    }

    /// Like [`Context::apply`], but takes over an existing object that has no controller: it
    /// becomes a child of this object, and is deleted with it.
    ///
    /// Use it, for example, for an operator that replaces a Helm chart, or an older operator
    /// without owner references. Check that the existing object may be taken over: everyone who may
    /// create the custom resource gets power over it.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Service};
    /// # use rustop_manager::{Action, Context, Result};
    /// # fn service(_: &Deployment) -> Service { todo!() }
    /// async fn reconcile(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<Action> {
    ///     ctx.adopt(service(&web)).await?;
    ///     Ok(Action::await_change())
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Context::apply`], except `NotOwned`.
    pub async fn adopt<T>(&self, mut child: T) -> Result<Arc<T>>
    where
        T: AnyObject + Serialize,
    {
        let kind = self.kind_of(&child)?;
        self.own(&kind, &mut child)?;
        self.bring_about(&kind, child, Claim::Adopt).await
    }

    /// Creates `child` and returns the live object. Kubernetes generates the name if the child only
    /// has a `generateName`. The child gets the namespace, the owner reference and the labels as
    /// with [`Context::apply`].
    ///
    /// The cache contains the new child at once, so the next reconcile sees it. Creating it
    /// triggers no reconcile: to create the next child, return `Action::requeue(Duration::ZERO)`.
    ///
    /// Needs `create` on the kind.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use k8s_openapi::api::batch::v1::{CronJob, Job};
    /// # use rustop_manager::prelude::*;
    /// # fn job(_: &CronJob) -> Job { todo!() }
    /// async fn reconcile(cron: Arc<CronJob>, ctx: Context<CronJob>) -> Result<Action> {
    ///     if ctx.children::<Job>()?.len() < 3 {
    ///         ctx.create(job(&cron)).await?;
    ///         return Ok(Action::requeue(Duration::ZERO));
    ///     }
    ///     Ok(Action::await_change())
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns `AlreadyExists` if an object of this name exists, `NotOwnable` and `NotSelected`
    /// like [`Context::apply`], and the API server's error if it rejects the request or is
    /// unreachable.
    pub async fn create<T>(&self, mut child: T) -> Result<Arc<T>>
    where
        T: AnyObject + Serialize,
    {
        let kind = self.kind_of(&child)?;
        self.own(&kind, &mut child)?;
        let params = PostParams {
            field_manager: Some(self.shared.field_manager.clone()),
            ..PostParams::default()
        };
        let path = T::url_path(&kind, child.meta().namespace.as_deref());
        let request = Request::new(path).create(&params, serde_json::to_vec(&child)?)?;
        self.refuse_unseen(&kind, &child)?;
        let caches = self.shared.caches::<T>(&kind);
        let write = caches.write(child.meta(), &self.shared.field_manager);
        let live: Undecoded<T> = self.client().request(request).await.map_err(|error| {
            Error::from(error).of_request("create", &T::kind(&kind), child.meta())
        })?;
        let live = write.answer(live).fits(&kind)?;
        tracing::debug!(kind = %T::kind(&kind), child = %object::label(live.object.meta()), "created");
        Ok(write.done(live))
    }

    /// Like [`Context::apply`], for a child that cannot have the object as its owner, for example
    /// because it is in another namespace: it gets no owner reference. Record the owner in the
    /// child yourself, find the child with [`Controller::watches`](crate::Controller::watches), and
    /// delete it with [`Context::delete_object`] in a cleanup.
    ///
    /// Only an object that the reconcile has seen is overwritten. With `seen`, the object is
    /// changed only if it is still in that version; without it, the object is created, and the call
    /// fails if it exists. (In both cases, nothing is written if the cached object already has the
    /// desired state.) Take `seen` from [`Context::store`] and pass exactly the object whose owner
    /// you checked: another object may have replaced it by now.
    ///
    /// Needs `create` and `patch` on the kind.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
    /// # use rustop_manager::prelude::*;
    /// # fn dashboard(_: &Deployment) -> ConfigMap { todo!() }
    /// # async fn example(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<()> {
    /// // created, or changed if this is still the object that was read
    /// let seen = ctx.get_in::<ConfigMap>("monitoring", "web")?;
    /// ctx.apply_unowned(dashboard(&web), seen.as_deref()).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns `Conflict` if the object is not the one in `seen`, `OwnedByAnother` if the cached
    /// object belongs to another owner, `NoName` if the child has no name, `NoNamespace` if it has
    /// no namespace although its kind needs one, `NotSelected` like [`Context::apply`], and the API
    /// server's error if it rejects the request or is unreachable.
    pub async fn apply_unowned<T>(&self, mut child: T, seen: Option<&T>) -> Result<Arc<T>>
    where
        T: AnyObject + Serialize,
    {
        let kind = self.kind_of(&child)?;
        if kind.is_namespaced() && child.meta().namespace.is_none() {
            let kind = T::kind(&kind);
            return Err(Error::new(
                "NoNamespace",
                format!(
                    "cannot apply an unowned {kind} without a namespace; help: set `metadata.namespace`"
                ),
            ));
        }
        self.label(&mut child);
        let version = seen.and_then(|seen| seen.meta().resource_version.clone());
        let over = version.map_or(Precondition::Absent, Precondition::Version);
        self.bring_about(&kind, child, Claim::Nothing(over)).await
    }

    /// Applies `child` unless the live object already has the desired state. `claim` decides which
    /// existing object may be changed. If another object turns out to exist, reads it, checks the
    /// claim again, and applies once more.
    async fn bring_about<T>(
        &self,
        kind: &T::DynamicType,
        mut child: T,
        claim: Claim,
    ) -> Result<Arc<T>>
    where
        T: AnyObject + Serialize,
    {
        if child.meta().name.is_none() {
            return Err(Error::new(
                "NoName",
                format!(
                    "cannot apply a {} without a name; help: set `metadata.name`",
                    T::kind(kind)
                ),
            ));
        }
        self.refuse_unseen(kind, &child)?;
        let caches = self.shared.caches::<T>(kind);
        let key = object::key_of(kind, child.meta());
        let manager = &self.shared.field_manager;
        let wanted = Wanted::new(&child, manager)?;
        let given_version = child.meta().resource_version.clone();

        let before = caches.get(&key);
        let over = if let Some((cache, live)) = &before {
            let has_applied = || cache.applied(&key, manager).is_some();
            let over = self.claim(kind, &claim, &child, live.meta(), has_applied)?;
            if wanted.has_desired_state(cache, &key, live.as_ref())? {
                return Ok(live.clone());
            }
            over
        } else if caches.are_by_name() && !caches.cover(&key) && claim.is_for_owner() {
            // No cache shows the live state, because the kind is not watched or only named objects
            // of it are cached.
            let stored = self.stored(kind, &child).await?;
            let over = self.claim_stored(kind, &claim, &child, stored.as_ref())?;
            let live = stored.and_then(|stored| stored.decode(kind).ok());
            if let Some(live) = live
                && wanted.stored_has_desired_state(&live)?
            {
                return Ok(live.object);
            }
            over
        } else {
            claim.unseen()
        };

        let mut sent = self.send(kind, &mut child, &caches, over, &wanted).await;
        if let Err(error) = &sent
            && claim.is_for_owner()
            && claim::is_another_object(error)
        {
            // The object differs from the cached one, or is not cached: decide again by the stored
            // one, and apply once more.
            match self.stored(kind, &child).await {
                Ok(stored) => {
                    let over = self.claim_stored(kind, &claim, &child, stored.as_ref())?;
                    let meta = child.meta_mut();
                    (meta.uid, meta.resource_version) = (None, given_version);
                    sent = self.send(kind, &mut child, &caches, over, &wanted).await;
                }
                // Without the permission to read, the conflict is returned: it is retried, and
                // resolves itself when the watch has caught up.
                Err(refused) if refused.is(Reason::Forbidden) => {}
                Err(error) => return Err(error),
            }
        }
        let live = sent?;
        // For the detection of reconcile loops: a new child, or an external cause, is not part of
        // one.
        if let Some((_, before)) = before.filter(|_| !self.run.causes.are_outside()) {
            let name = format!("{} {}", T::kind(kind), object::label(live.meta()));
            let difference = if self.run.writes.suspected {
                difference(&state(before.as_ref())?, &state(live.as_ref())?)
            } else {
                None
            };
            self.run.writes.wrote(&wanted.hash, &name, difference);
        }
        Ok(live)
    }

    /// Sends the apply of `child` once and adds the answer to the caches. `over` is the
    /// precondition: the existing object that the request may change, if any.
    async fn send<T>(
        &self,
        kind: &T::DynamicType,
        child: &mut T,
        caches: &Caches<T>,
        over: Precondition,
        wanted: &Wanted<'_>,
    ) -> Result<Arc<T>>
    where
        T: AnyObject + Serialize,
    {
        over.set_on(child.meta_mut());
        let manager = &self.shared.field_manager;
        let namespace = child.meta().namespace.as_deref();
        let api = kind.api::<Undecoded<T>>(self.client().clone(), namespace);
        let write = caches.write(child.meta(), manager);
        let live: Decoded<T> = match api
            .patch(&child.name_any(), &params(manager), &Patch::Apply(&*child))
            .await
        {
            Ok(answer) => write.answer(answer).fits(kind)?,
            Err(error) => {
                let needed =
                    Permission::new(&T::group(kind), T::plural(kind), &["create", "patch"]);
                let error = Error::from(error).of_request("apply", &T::kind(kind), child.meta());
                return Err(error.needs(&needed));
            }
        };
        tracing::debug!(kind = %T::kind(kind), child = %object::label(live.object.meta()), "applied");
        let settled = wanted.became(&live, caches.are_trimmed())?;
        let live = write.done(live);
        caches.settle(&object::key_of(kind, child.meta()), settled);
        Ok(live)
    }
}

/// Returns an object as JSON, without the fields that change with each write.
fn state(object: &impl Serialize) -> Result<Value> {
    Ok(managed_fields::desired_state(serde_json::to_value(object)?))
}

/// Returns the parameters of an apply, which takes over conflicting fields. Field validation is
/// off: no user would see the warnings, and the API server would decode each patch twice for them.
pub(crate) fn params(manager: &str) -> PatchParams {
    PatchParams::apply(manager).force().validation_ignore()
}
