//! `Context::apply_in_order`: children that are applied one after the other, each when the previous
//! ones are ready, and deleted in reverse order.
//!
//! No progress is stored: each reconcile starts with the first step, and a child that already has
//! the desired state costs no request.

use std::sync::Arc;

use futures::{FutureExt, future::BoxFuture};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{ResourceExt, api::DeleteParams, runtime::events::EventType};
use serde::Serialize;

use crate::apply::set::run_concurrently;
use crate::condition::{false_because, true_because};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::object::{self, AnyObject};

/// Children of an object in steps, for [`Context::apply_in_order`] and
/// [`Context::delete_in_reverse`]. The children of one step are applied concurrently.
pub struct Sequence<K: AnyObject>(Vec<Vec<Child<K>>>);

/// A function that applies or deletes one child.
type Child<K> = Box<dyn FnOnce(Context<K>, Way) -> BoxFuture<'static, Result<WaitReason>> + Send>;

/// The reason to wait for a child; `None` if it is ready or gone.
type WaitReason = Option<String>;

#[derive(Clone, Copy)]
enum Way {
    Apply,
    Delete,
}

/// The error of a cleanup that waits until a child is gone. It is not counted as a failure, because
/// the watch reports when the child is gone. The text names the child.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unfinished(String);

impl<K: AnyObject> Default for Sequence<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: AnyObject> Sequence<K> {
    /// Creates a sequence without steps.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
    /// # use rustop_manager::prelude::*;
    /// # fn example(secret: Secret, web: Deployment) -> Sequence<Deployment> {
    /// Sequence::new().then(secret, ready).then(web, ready)
    /// # }
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a step with one child, which is applied when the children of all earlier steps are
    /// ready. `is_ready` checks whether the child is ready, and returns what it waits for if not;
    /// [`ready`](crate::ready) does this for many kinds.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
    /// # use rustop_manager::prelude::*;
    /// # fn example(secret: Secret) -> Sequence<Deployment> {
    /// Sequence::new().then(secret, |secret| {
    ///     let data = secret.data.as_ref().ok_or("the password is not generated yet")?;
    ///     data.contains_key("password").then_some(()).ok_or("no password".to_owned())
    /// })
    /// # }
    /// ```
    #[must_use]
    pub fn then<T: AnyObject + Serialize>(
        mut self,
        child: T,
        is_ready: impl Fn(&T) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.0.push(Vec::new());
        self.and(child, is_ready)
    }

    /// Adds a child to the last step, or as the first step if there is none. See [`Sequence::then`]
    /// for `is_ready`.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Service};
    /// # use rustop_manager::prelude::*;
    /// # fn example(web: Deployment, service: Service) -> Sequence<Deployment> {
    /// // both at the same time
    /// Sequence::new().then(web, ready).and(service, ready)
    /// # }
    /// ```
    #[must_use]
    pub fn and<T: AnyObject + Serialize>(
        mut self,
        child: T,
        is_ready: impl Fn(&T) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        let child: Child<K> = Box::new(move |context, way| {
            async move {
                let kind = context.kind_of(&child)?;
                context.refuse_unwatched::<T>(&kind)?;
                let name = format!("{} {}", T::kind(&kind), child.name_any());
                let waits = match way {
                    Way::Apply => is_ready(context.apply(child).await?.as_ref()).err(),
                    Way::Delete => context.delete_first(&kind, child).await?,
                };
                Ok(waits.map(|why| format!("{name}: {why}")))
            }
            .boxed()
        });
        match self.0.last_mut() {
            Some(last) => last.push(child),
            None => self.0.push(vec![child]),
        }
        self
    }
}

impl<K: AnyObject> Context<K> {
    /// Applies the steps in order, each child like [`Context::apply`], until a step is not ready;
    /// later steps are left as they are. Returns the condition `Ready` (or another
    /// [`Controller::summary_condition`](crate::Controller::summary_condition)) of the sequence,
    /// which says what it waits for. When a child becomes ready, the object is reconciled again, so
    /// no requeue is needed.
    ///
    /// When the owner is deleted, its children are deleted in no particular order. If the order
    /// matters, call [`Context::delete_in_reverse`] in a cleanup.
    ///
    /// Each kind must be owned or watched by the controller.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::{apps::v1::{Deployment, StatefulSet}, batch::v1::Job, core::v1::{Secret, Service}};
    /// # use rustop_manager::{Action, Conditions as _, Context, Controller, Result, Sequence, ready};
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
    /// # use kube::core::object::HasStatus;
    /// # #[derive(Clone, Default, serde::Serialize)]
    /// # struct AppStatus { conditions: Vec<Condition> }
    /// # fn example<App: rustop_manager::Object + serde::Serialize + HasStatus<Status = AppStatus>>(
    /// #     secret: fn(&App) -> Secret, database: fn(&App) -> StatefulSet, migration: fn(&App) -> Job,
    /// #     web: fn(&App) -> Deployment, service: fn(&App) -> Service,
    /// # ) {
    /// let children = move |app: &App| {
    ///     Sequence::new()
    ///         .then(database(app), ready)
    ///         .and(secret(app), |secret| {
    ///             let filled = secret.data.as_ref().is_some_and(|data| data.contains_key("password"));
    ///             filled.then_some(()).ok_or("no password yet".to_owned())
    ///         })
    ///         .then(migration(app), ready)
    ///         .then(web(app), ready)
    ///         .and(service(app), ready)
    /// };
    /// let reconcile = move |app: Arc<App>, ctx: Context<App>| async move {
    ///     let ready = ctx.apply_in_order(children(&app)).await?;
    ///     ctx.set_status(|status| status.conditions.set(ready));
    ///     Ok(Action::await_change())
    /// };
    /// let cleanup = move |app: Arc<App>, ctx: Context<App>| async move {
    ///     ctx.delete_in_reverse(children(&app)).await
    /// };
    /// Controller::new(reconcile).cleanup("my.domain/in-order", cleanup);
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns `NotWatched` if the controller does not watch a kind, and the errors of
    /// [`Context::apply`].
    pub async fn apply_in_order(&self, sequence: Sequence<K>) -> Result<Condition> {
        let summary = &self.shared.condition_events.summary;
        let of = sequence.0.len();
        for (step, children) in (1..).zip(sequence.0) {
            let waits = self.step(children, Way::Apply).await?;
            if !waits.is_empty() {
                let text = format!("step {step} of {of}: {}", waits.join("; "));
                return Ok(false_because(summary, "Waiting", text));
            }
        }
        Ok(true_because(
            summary,
            "InPlace",
            format!("step {of} of {of} is ready"),
        ))
    }

    /// Deletes the steps in reverse order, each when the children of the step after it are gone,
    /// together with their dependents such as Pods. Returns `Ok` when no child is left. Until then
    /// it returns an error that does not count as a failure: returned from a
    /// [cleanup](crate::Controller::cleanup), it leads to the next call when a child is gone, and
    /// an event says what the cleanup waits for. (`kubectl delete --cascade=foreground` does not
    /// wait for it.)
    ///
    /// Needs `delete` on the kinds.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{apps::v1::StatefulSet, core::v1::{ConfigMap, Secret}};
    /// # use rustop_manager::prelude::*;
    /// # fn steps(_: &ConfigMap) -> Sequence<ConfigMap> { todo!() }
    /// async fn cleanup(app: Arc<ConfigMap>, ctx: Context<ConfigMap>) -> Result<()> {
    ///     ctx.delete_in_reverse(steps(&app)).await
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns `Deleting` while children remain, `NotWatched` if the controller does not watch a
    /// kind, and the errors of [`Context::delete`].
    pub async fn delete_in_reverse(&self, sequence: Sequence<K>) -> Result<()> {
        for children in sequence.0.into_iter().rev() {
            let waits = self.step(children, Way::Delete).await?;
            if !waits.is_empty() {
                let text = waits.join("; ");
                self.event(EventType::Normal, "Deleting", &text);
                return Err(Error::from(Unfinished(text)).with_reason("Deleting"));
            }
        }
        Ok(())
    }

    /// Applies or deletes the children of one step. Returns the reasons to wait, one for each child
    /// that is not ready or not gone.
    async fn step(&self, children: Vec<Child<K>>, way: Way) -> Result<Vec<String>> {
        let children = children.into_iter();
        let waits = run_concurrently(children.map(|child| child(self.clone(), way))).await?;
        Ok(waits.into_iter().flatten().collect())
    }

    /// Deletes a child in the foreground, with its dependents, if this object controls it. Returns
    /// the reason to wait while it exists.
    async fn delete_first<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
        mut child: T,
    ) -> Result<WaitReason> {
        self.own(kind, &mut child)?;
        let caches = self.shared.complete::<T>(kind)?;
        let live = caches
            .get(&object::key_of(kind, child.meta()))
            .map(|(_, live)| live);
        let ours = self.object.meta().uid.as_deref();
        let is_ours = |live: &Arc<T>| {
            let owner = object::controller(live.meta());
            owner.is_some_and(|owner| Some(owner.uid.as_str()) == ours)
        };
        let Some(live) = live.filter(is_ours) else {
            return Ok(None);
        };
        if live.meta().deletion_timestamp.is_none() {
            self.delete_as(kind, live.as_ref(), DeleteParams::foreground())
                .await?;
        }
        Ok(Some("not deleted yet".to_owned()))
    }
}
