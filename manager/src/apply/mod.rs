//! `Context::apply`: make a child what the reconcile says it should be.

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

use crate::apply::desired::Wanted;
use crate::cache::undecoded::Undecoded;
use crate::context::{Context, steps::difference};
use crate::error::{Error, Result};
use crate::managed_fields;
use crate::object::{self, AnyObject, KindOf};
use crate::rbac::Permission;

/// A `resourceVersion` that no object has: an apply that names it creates, or is a conflict.
const NONE: &str = "1";

impl<K: AnyObject> Context<K> {
    /// Creates `child` or changes it into what it says here, by server-side apply, and returns the
    /// live object.
    ///
    /// - Set what you want to own, and nothing else: a field that you set is repaired when someone
    ///   changes it, one that you no longer set goes away, one that you never set is left to others.
    /// - Nothing is sent when the live object already is what is wanted. That is known for kinds
    ///   that the controller `owns` or `watches`; for others each call is one request.
    /// - The child gets the namespace of the object if it has none of its own, an owner reference
    ///   (so it is deleted with the object), and the labels `app.kubernetes.io/managed-by` and
    ///   `app.kubernetes.io/instance` unless you set them.
    ///
    /// Needs `create` and `patch` on the kind. Several children can be applied at the same time:
    /// `let (a, b) = tokio::join!(ctx.apply(a), ctx.apply(b));` and then `a?` and `b?`. (Not with
    /// `try_join!`, which gives up on one child because another one failed.)
    ///
    /// # Errors
    /// When the API server refuses it or cannot be reached, when the child has no name, and when it
    /// already belongs to another owner (`OwnedByAnother`).
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
        self.adopt(kind, &mut child)?;
        self.bring_about(kind, child, None).await
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
        self.adopt(&kind, &mut child)?;
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
        self.bring_about(
            &kind,
            child,
            Some(version.unwrap_or_else(|| NONE.to_owned())),
        )
        .await
    }

    /// Sends `child` if it is not what it should be already. With a `version` only over that one.
    async fn bring_about<T>(
        &self,
        kind: &T::DynamicType,
        mut child: T,
        version: Option<String>,
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

        let before = caches.get(&key);
        if let Some((cache, live)) = &before {
            self.refuse_foreign(kind, live.as_ref())?;
            if wanted.is_there(cache, &key, live.as_ref())? {
                return Ok(live.clone());
            }
        }

        if version.is_some() {
            child.meta_mut().resource_version = version;
        }
        let namespace = child.meta().namespace.as_deref();
        let api = kind.api::<Undecoded<T>>(self.client().clone(), namespace);
        let write = caches.write(child.meta(), manager);
        let live = match api
            .patch(&child.name_any(), &params(manager), &Patch::Apply(&child))
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
        if let Some((_, before)) = before.filter(|_| !self.run.causes.are_outside()) {
            let name = format!("{} {}", T::kind(kind), object::label(live.meta()));
            let difference = if self.run.steps.suspected {
                difference(&state(before.as_ref())?, &state(live.as_ref())?)
            } else {
                None
            };
            self.run.steps.wrote(&wanted.hash, &name, difference);
        }
        caches.settle(&key, settled);
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
