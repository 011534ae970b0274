//! `Context::apply`: make a child what the reconcile says it should be.

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
use crate::context::{Context, steps::difference};
use crate::error::{Error, Result};
use crate::managed_fields;
use crate::object::{self, AnyObject, KindOf};
use crate::rbac::Permission;

impl<K: AnyObject> Context<K> {
    /// Creates `child` or changes it into what it says here, by server-side apply, and returns the
    /// live object.
    ///
    /// - Set what you want to own, and nothing else: a field that you set is repaired when someone
    ///   changes it, one that you no longer set goes away, one that you never set is left to others.
    /// - Nothing is sent when the live object already is what is wanted. That is known for kinds
    ///   that the controller `owns` or `watches`; for others each call reads the object first.
    /// - The child gets the namespace of the object if it has none of its own, an owner reference
    ///   (so it is deleted with the object), and the labels `app.kubernetes.io/managed-by` and
    ///   `app.kubernetes.io/instance` unless you set them.
    ///
    /// An existing object is changed only if it is this object's child: if it has the owner reference, or if this
    /// controller applied it before. Any other existing object is left alone (`NotOwned`), so that creating a
    /// custom resource does not give its author power over objects of the same name. To take over such an object, use
    /// [`Context::adopt`], or annotate it with `<group of the owner>/adopt: <Kind>/<name>` of the owner, for example
    /// `kubectl annotate service db example.com/adopt=Page/db`.
    ///
    /// Needs `create` and `patch` on the kind, and `get` if the controller does not watch it. Several children can be
    /// applied at the same time: `let (a, b) = tokio::join!(ctx.apply(a), ctx.apply(b));` and then `a?` and `b?`. (Not
    /// with `try_join!`, which gives up on one child because another one failed.)
    ///
    /// # Errors
    /// When the API server refuses it or cannot be reached, when the child has no name, when an object of this name
    /// exists that this controller has not made (`NotOwned`), and when it belongs to another owner (`OwnedByAnother`).
    pub async fn apply<T>(&self, child: T) -> Result<Arc<T>>
    where
        T: AnyObject + Serialize,
    {
        let kind = self.kind_of(&child)?;
        self.apply_of(&kind, child).await
    }

    pub(crate) async fn apply_of<T>(&self, kind: &T::DynamicType, mut child: T) -> Result<Arc<T>>
    where
        T: AnyObject + Serialize,
    {
        self.own(kind, &mut child)?;
        self.bring_about(kind, child, Claim::Own).await
    }

    /// Like [`Context::apply`], but takes over an existing object that has no controller: the object becomes its
    /// owner, so it is deleted with the object.
    ///
    /// For an operator that succeeds a Helm chart, say, or a predecessor without owner references. Decide by your own
    /// means that the existing object may be taken: whoever may create the custom resource gets power over it.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Service};
    /// # use manager::{Action, Context, Result};
    /// # fn service(_: &Deployment) -> Service { todo!() }
    /// async fn reconcile(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<Action> {
    ///     ctx.adopt(service(&web)).await?;
    ///     Ok(Action::await_change())
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of [`Context::apply`], except `NotOwned`.
    pub async fn adopt<T>(&self, mut child: T) -> Result<Arc<T>>
    where
        T: AnyObject + Serialize,
    {
        let kind = self.kind_of(&child)?;
        self.own(&kind, &mut child)?;
        self.bring_about(&kind, child, Claim::Adopt).await
    }

    /// Creates `child` as it is, with a name that Kubernetes makes where it has only a
    /// `generateName`, and returns the live object. It gets the namespace, the owner reference and
    /// the labels that [`Context::apply`] would give it.
    ///
    /// What was created is in the cache at once: the next reconcile counts it. It triggers none, so
    /// to go on with the next child, return `Action::requeue(Duration::ZERO)`.
    ///
    /// Needs `create` on the kind.
    ///
    /// # Errors
    /// When the API server refuses it (`AlreadyExists`, where the name is taken) or cannot be
    /// reached.
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
        let live: Undecoded<T> = self.client().request(request).await?;
        let live = write.answer(live).fits(&kind)?;
        tracing::debug!(kind = %T::kind(&kind), child = %object::label(live.object.meta()), "created");
        Ok(write.done(live))
    }

    /// Like [`Context::apply`], for what cannot have the object as its owner, because it lives in
    /// another namespace, say: it gets no owner reference. Record in it whose it is, find it again
    /// with [`Controller::watches`](crate::Controller::watches), and delete it with
    /// [`Context::delete_unowned`] in a cleanup.
    ///
    /// Nothing is written over that the reconcile has not seen: with `seen`, where you looked whose it is, the
    /// object is changed only if it still is that one, without, it is created or refused. Take `seen` from
    /// [`Context::store`], and pass on just what you took: by now there may be something else.
    ///
    /// Needs `create` and `patch` on the kind.
    ///
    /// # Errors
    /// When the API server refuses it (`Conflict`, where there is something else by now) or cannot be
    /// reached, and when the child has no name or needs a namespace.
    pub async fn apply_unowned<T>(&self, mut child: T, seen: Option<&T>) -> Result<Arc<T>>
    where
        T: AnyObject + Serialize,
    {
        let kind = self.kind_of(&child)?;
        if kind.is_namespaced() && child.meta().namespace.is_none() {
            let kind = T::kind(&kind);
            return Err(Error::new(
                "NoNamespace",
                format!("a {kind} that is not owned needs a namespace"),
            ));
        }
        self.label(&mut child);
        let version = seen.and_then(|seen| seen.meta().resource_version.clone());
        let over = version.map_or(Precondition::Absent, Precondition::Version);
        self.bring_about(&kind, child, Claim::Nothing(over)).await
    }

    /// Sends `child` unless the live object already is what it should be.
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
                format!("a {} without a name cannot be applied", T::kind(kind)),
            ));
        }
        self.refuse_unseen(kind, &child)?;
        let caches = self.shared.caches::<T>(kind);
        let key = object::key_of(kind, child.meta());
        let manager = &self.shared.field_manager;
        let wanted = Wanted::new(&child, manager)?;
        let own_version = child.meta().resource_version.clone();

        let before = caches.get(&key);
        let over = if let Some((cache, live)) = &before {
            let has_applied = || cache.applied(&key, manager).is_some();
            let over = self.claim(kind, &claim, &child, live.meta(), has_applied)?;
            if wanted.is_there(cache, &key, live.as_ref())? {
                return Ok(live.clone());
            }
            over
        } else if caches.all.is_empty() && claim.is_for_owner() {
            let stored = self.stored(kind, &child).await?;
            let over = self.claim_stored(kind, &claim, &child, stored.as_ref())?;
            let live = stored.and_then(|stored| stored.decode(kind).ok());
            if let Some(live) = live
                && wanted.is_stored(&live)?
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
            // There is another object than the cache has, or one that it has not.
            match self.stored(kind, &child).await {
                Ok(stored) => {
                    let over = self.claim_stored(kind, &claim, &child, stored.as_ref())?;
                    let meta = child.meta_mut();
                    (meta.uid, meta.resource_version) = (None, own_version);
                    sent = self.send(kind, &mut child, &caches, over, &wanted).await;
                }
                // The conflict resolves itself when the watch catches up.
                Err(refused) if refused.reason() == "Forbidden" => {}
                Err(error) => return Err(error),
            }
        }
        let live = sent?;
        if let Some((_, before)) = before.filter(|_| !self.run.causes.are_outside()) {
            let name = format!("{} {}", T::kind(kind), object::label(live.meta()));
            let difference = if self.run.steps.suspected {
                difference(&state(before.as_ref())?, &state(live.as_ref())?)
            } else {
                None
            };
            self.run.steps.wrote(&wanted.hash, &name, difference);
        }
        Ok(live)
    }

    /// Sends `child` once, to change what `over` names and nothing else.
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
        over.put(child.meta_mut());
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
                return Err(Error::from(error).needs(&needed));
            }
        };
        tracing::debug!(kind = %T::kind(kind), child = %object::label(live.object.meta()), "applied");
        let settled = wanted.became(&live, caches.are_trimmed())?;
        let live = write.done(live);
        caches.settle(&object::key_of(kind, child.meta()), settled);
        Ok(live)
    }
}

/// An object without what changes with each write.
fn state(object: &impl Serialize) -> Result<Value> {
    Ok(managed_fields::applied(serde_json::to_value(object)?))
}

/// How `manager` applies: what it sets is its own from now on. Warnings are not asked for, since nobody would
/// see them: for those alone the API server would read each patch twice.
pub(crate) fn params(manager: &str) -> PatchParams {
    PatchParams::apply(manager).force().validation_ignore()
}
