//! `Context::apply_in_order`: children of which each comes when those before it are ready, and goes before them.
//!
//! Nothing is remembered: each reconcile begins with the first step, and what is there already costs no request.

use std::sync::Arc;

use futures::{FutureExt, future::BoxFuture};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{ResourceExt, api::DeleteParams, runtime::events::EventType};
use serde::Serialize;

use crate::apply::set::at_once;
use crate::condition::{met, unmet};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::object::{self, AnyObject};

/// Children of an object that come one after the other, for [`Context::apply_in_order`].
pub struct Sequence<K: AnyObject>(Vec<Vec<Child<K>>>);

type Child<K> = Box<dyn FnOnce(Context<K>, Way) -> BoxFuture<'static, Result<Waits>> + Send>;

/// For what a child has to be waited, if for anything.
type Waits = Option<String>;

#[derive(Clone, Copy)]
enum Way {
    Apply,
    Delete,
}

/// A cleanup goes on when a child is gone, of which the watch tells.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unfinished(String);

impl<K: AnyObject> Default for Sequence<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: AnyObject> Sequence<K> {
    /// No step.
    #[must_use]
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// One more step: this child, when all before it are ready. `is_ready` says why it is not ready itself;
    /// [`ready`](crate::ready) knows that of many kinds.
    #[must_use]
    pub fn then<T: AnyObject + Serialize>(
        mut self,
        child: T,
        is_ready: impl Fn(&T) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.0.push(Vec::new());
        self.and(child, is_ready)
    }

    /// One more child in the last step.
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
    /// Applies children step by step, each as [`Context::apply`] does, up to the first step that is not ready: what
    /// comes after that is left as it is. Returns the condition `Ready` (or another
    /// [`Controller::summary_condition`](crate::Controller::summary_condition)) of it all, which says what is waited for.
    /// There is nothing else to do: when a child becomes ready, the object is reconciled again.
    ///
    /// Children go with their owner, in no order. Where that matters, take them away by
    /// [`Context::delete_in_reverse`] in a cleanup.
    ///
    /// Each kind must be owned or watched by the controller.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::{apps::v1::{Deployment, StatefulSet}, batch::v1::Job, core::v1::{Secret, Service}};
    /// # use manager::{Action, Conditions as _, Context, Controller, Result, Sequence, ready};
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
    /// # use kube::core::object::HasStatus;
    /// # #[derive(Clone, Default, serde::Serialize)]
    /// # struct AppStatus { conditions: Vec<Condition> }
    /// # fn example<App: manager::Object + serde::Serialize + HasStatus<Status = AppStatus>>(
    /// #     secret: fn(&App) -> Secret, database: fn(&App) -> StatefulSet, migration: fn(&App) -> Job,
    /// #     web: fn(&App) -> Deployment, service: fn(&App) -> Service,
    /// # ) {
    /// let children = move |app: &App| {
    ///     Sequence::new()
    ///         .then(database(app), ready)
    ///         .and(secret(app), |secret| {
    ///             let filled = secret.data.as_ref().is_some_and(|data| data.contains_key("password"));
    ///             filled.then_some(()).ok_or("it has no password yet".to_owned())
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
    /// Those of [`Context::apply`]; and when the controller does not watch a kind (`NotWatched`).
    pub async fn apply_in_order(&self, sequence: Sequence<K>) -> Result<Condition> {
        let summary = &self.shared.condition_events.summary;
        let of = sequence.0.len();
        for (step, children) in (1..).zip(sequence.0) {
            let waits = self.step(children, Way::Apply).await?;
            if !waits.is_empty() {
                let text = format!("step {step} of {of}: {}", waits.join("; "));
                return Ok(unmet(summary, "Waiting", text));
            }
        }
        Ok(met(
            summary,
            "InPlace",
            format!("step {of} of {of} is ready"),
        ))
    }

    /// Deletes children in the reverse order, each step when the one after it is gone together with all that belongs
    /// to its children, such as Pods. Returns `Ok` when nothing is left. Until then it fails in a way that is no
    /// failure: returned from a [cleanup](crate::Controller::cleanup), it leads to the next call as soon as a child is
    /// gone, and an event says what is waited for. (`kubectl delete --cascade=foreground` does not wait for it.)
    ///
    /// Needs `delete` on the kinds.
    ///
    /// # Errors
    /// Those of [`Context::delete`]; and when the controller does not watch a kind (`NotWatched`).
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

    async fn step(&self, children: Vec<Child<K>>, way: Way) -> Result<Vec<String>> {
        let children = children.into_iter();
        let waits = at_once(children.map(|child| child(self.clone(), way))).await?;
        Ok(waits.into_iter().flatten().collect())
    }

    /// Deletes a child, if it is this object's, with all that belongs to it.
    async fn delete_first<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
        mut child: T,
    ) -> Result<Waits> {
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
        Ok(Some("it is not gone yet".to_owned()))
    }
}
