//! The builder of a controller.

use std::{future::Future, sync::Arc, time::Duration};

use futures::{FutureExt, stream::BoxStream};
use kube::{core::object::HasStatus, runtime::reflector::ObjectRef};
use serde::Serialize;

use crate::backoff::Backoff;
use crate::cache::informer::Informers;
use crate::condition::{self, Conditions};
use crate::condition_events::{ConditionEvents, Polarity};
use crate::context::Context;
use crate::controller::{
    action::Action, pause::PAUSED, reconcile::Work, source::Source, state::Predicate,
};
use crate::error::Result;
use crate::object::{AnyObject, Object};
use crate::rate_limits::RateLimits;
use crate::shared_state::Required;

/// Default timeout of a reconcile.
const TIMEOUT: Duration = Duration::from_secs(300);

/// A controller: watches objects of kind `K` and calls a function whenever one may need attention.
///
/// - The function is called for every object at startup, and again whenever the object or one of
///   its children changed. Calls for the same object never overlap.
/// - An error or a panic is logged and counted, reported in a condition (see
///   [`Controller::conditions`]) or an event, and retried with [`Backoff`], for each object
///   separately.
/// - The function is not called for an object that is being deleted; see [`Controller::cleanup`].
///
/// ```
/// # use std::{sync::Arc, time::Duration};
/// # use k8s_openapi::api::{apps::v1::Deployment, batch::v1::Job, core::v1::Service};
/// # use rustop_manager::{Action, Backoff, Context, Controller, Result};
/// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
/// Controller::new(reconcile)
///     .owns::<Job>() // what `reconcile` creates
///     .owns::<Service>()
///     .concurrency(4)
///     .backoff(Backoff::default().longest(Duration::from_secs(60)));
/// ```
pub struct Controller<K: AnyObject> {
    /// The controller's own kind: `()` if it is known at compile time.
    pub(crate) kind: K::DynamicType,
    /// Unique among the controllers and tasks of the manager.
    pub(crate) name: String,
    /// The user's functions, and how they are run.
    pub(crate) work: Work<K>,
    /// Number of objects that are reconciled at the same time, at least 1.
    pub(crate) concurrency: u16,
    /// The limit of [`Controller::rate_limit`]; `None` for no limit.
    pub(crate) pace: Option<RateLimits<()>>,
    /// The predicate for changes of the own kind; `None` if every change leads to a reconcile.
    pub(crate) predicate: Option<Predicate<K>>,
    /// The kinds to watch in addition to the own one.
    pub(crate) sources: Vec<Source<K>>,
    /// The streams of [`Controller::triggered_by`].
    pub(crate) triggers: Vec<BoxStream<'static, ObjectRef<K>>>,
    /// The indexes of [`Controller::indexed_by`].
    pub(crate) indexes: Vec<AddIndex>,
    /// The condition types that decide which events are published, and the summary condition.
    pub(crate) condition_events: ConditionEvents,
    /// The types of [`Controller::requires_state`].
    pub(crate) required: Vec<Required>,
}

/// A function that adds an index to the open caches of a kind. Its second argument is the field
/// manager of the controller to which the index belongs.
pub(crate) type AddIndex = Box<dyn FnOnce(&Informers, &str) + Send>;

impl<K: Object + Serialize> Controller<K> {
    /// Creates a controller that calls `reconcile` for one object at a time. Its name is the kind
    /// in lower case.
    ///
    /// ```
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use rustop_manager::prelude::*;
    /// async fn reconcile(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<Action> {
    ///     # drop((web, ctx));
    ///     Ok(Action::await_change())
    /// }
    ///
    /// let controller = Controller::new(reconcile);
    /// # drop(controller);
    /// ```
    pub fn new<F, R>(reconcile: F) -> Self
    where
        F: Fn(Arc<K>, Context<K>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action>> + Send + 'static,
    {
        Self::of((), reconcile)
    }
}

impl<K: AnyObject + Serialize> Controller<K> {
    /// Does the same as [`Controller::new`], also for a kind known only at run time.
    pub(crate) fn of<F, R>(kind: K::DynamicType, reconcile: F) -> Self
    where
        F: Fn(Arc<K>, Context<K>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action>> + Send + 'static,
    {
        let work = Work {
            reconcile: Arc::new(move |object, context| reconcile(object, context).boxed()),
            cleanup: None,
            report_error: None,
            report_paused: None,
            backoff: Backoff::default(),
            timeout: Some(TIMEOUT),
        };
        Self {
            name: K::kind(&kind).to_lowercase(),
            kind,
            work,
            concurrency: 1,
            pace: None,
            predicate: None,
            sources: Vec::new(),
            triggers: Vec::new(),
            indexes: Vec::new(),
            condition_events: ConditionEvents::default(),
            required: Vec::new(),
        }
    }

    /// Sets another name, which is needed if two controllers of one manager reconcile the same
    /// kind. The name appears in logs and metrics and, as `operator/name`, is the field manager of
    /// everything that the controller applies. If you rename a controller that has run before, the
    /// fields that it applied remain under the old name.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::Secret;
    /// # use rustop_manager::prelude::*;
    /// # async fn copy(_: Arc<Secret>, _: Context<Secret>) -> Result<Action> { todo!() }
    /// Controller::new(copy).with_name("secret-copier");
    /// ```
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Does the same as [`Controller::with_name`].
    #[deprecated(note = "use `with_name`")]
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        self.with_name(name)
    }

    /// Sets the type of the condition that summarizes the others. A failed reconcile is reported in
    /// it, and [`Context::apply_in_order`] returns it. Default: `Ready`.
    ///
    /// ```
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
    /// # use kube::core::object::HasStatus;
    /// # use rustop_manager::{Controller, Object};
    /// # #[derive(Clone, Default, serde::Serialize)]
    /// # struct LolcowStatus { conditions: Vec<Condition> }
    /// # fn example<Lolcow: Object + serde::Serialize + HasStatus<Status = LolcowStatus>>(controller: Controller<Lolcow>) {
    /// controller
    ///     .conditions(|status| &mut status.conditions)
    ///     .summary_condition("Available")
    ///     .negative_conditions(["Overloaded"])
    ///     .silent_conditions(["Progressing"]);
    /// # }
    /// ```
    #[must_use]
    pub fn summary_condition(mut self, type_: impl Into<String>) -> Self {
        self.condition_events.summary = type_.into();
        self
    }

    /// Adds condition types that report a problem with `True`: when such a condition becomes
    /// `True`, the event is a warning. The conventional ones, such as `Degraded`, `Failed` and
    /// `Stalled`, are known already.
    ///
    /// ```
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use rustop_manager::prelude::*;
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// Controller::new(reconcile).negative_conditions(["ReplicaFailure"]);
    /// ```
    #[must_use]
    pub fn negative_conditions<T: Into<String>>(
        mut self,
        types: impl IntoIterator<Item = T>,
    ) -> Self {
        let types = types.into_iter().map(Into::into);
        self.condition_events.negative.extend(types);
        self
    }

    /// Adds condition types whose changes are not published as events. (A failed reconcile is
    /// published nevertheless.)
    ///
    /// ```
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use rustop_manager::prelude::*;
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// Controller::new(reconcile).silent_conditions(["Progressing"]);
    /// ```
    #[must_use]
    pub fn silent_conditions<T: Into<String>>(
        mut self,
        types: impl IntoIterator<Item = T>,
    ) -> Self {
        let types = types.into_iter().map(Into::into);
        self.condition_events.silent.extend(types);
        self
    }

    /// Declares that `reconcile` or `cleanup` uses the state of type `S`; see [`Context::state`]. A
    /// manager without this state does not start.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use rustop_manager::prelude::*;
    /// # struct Registrar;
    /// # async fn reconcile(_: Arc<ConfigMap>, _: Context<ConfigMap>) -> Result<Action> { todo!() }
    /// Controller::new(reconcile).requires_state::<Registrar>();
    /// ```
    #[must_use]
    pub fn requires_state<S: Send + Sync + 'static>(mut self) -> Self {
        self.required.push(Required::of::<S>());
        self
    }

    /// Sets how many objects are reconciled at the same time; 0 counts as 1. Default: 1. They share
    /// the threads of [`Manager::worker_threads`](crate::Manager::worker_threads). An object whose
    /// reconcile has returned, and whose status is still being written, does not count.
    ///
    /// ```
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use rustop_manager::prelude::*;
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// Controller::new(reconcile).concurrency(4);
    /// ```
    #[must_use]
    pub fn concurrency(mut self, objects: u16) -> Self {
        self.concurrency = objects.max(1);
        self
    }

    /// Limits how often reconciles of this controller start, for all objects together: `burst` of
    /// them at once (0 counts as 1), then one per `every`. Default: no limit. Use it for reconciles
    /// that call a rate-limited service.
    ///
    /// ```
    /// # use std::{sync::Arc, time::Duration};
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use rustop_manager::{Action, Context, Controller, Result};
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// Controller::new(reconcile).rate_limit(100, Duration::from_millis(200));
    /// ```
    #[must_use]
    pub fn rate_limit(mut self, burst: u32, every: Duration) -> Self {
        self.pace = Some(RateLimits::new(burst.max(1), every));
        self
    }

    /// Sets the delays between retries of a failed object. Default: 200 ms, doubled up to 5
    /// minutes.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use rustop_manager::Backoff;
    /// # use rustop_manager::prelude::*;
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// Controller::new(reconcile).backoff(Backoff::default().longest(Duration::from_secs(60)));
    /// ```
    #[must_use]
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.work.backoff = backoff;
        self
    }

    /// Sets the time limit for one call of `reconcile` or `cleanup`; `None` means no limit.
    /// Default: 5 minutes. A call that takes longer is dropped at its current `await` and fails
    /// with the reason `TimedOut`. After 30 s, the log says what the call waits for: a request of
    /// this operator, or the text passed to [`Context::waiting_for`]. A call that computes or
    /// blocks cannot be ended in this way.
    ///
    /// ```
    /// # use std::{sync::Arc, time::Duration};
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use rustop_manager::{Action, Context, Controller, Result};
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// Controller::new(reconcile).timeout(Duration::from_secs(60));
    /// ```
    #[must_use]
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.work.timeout = timeout.into();
        self
    }

    /// Sets a predicate on changes of the object itself, called with the object before and after
    /// the change. If it returns false, the change leads to no reconcile. New objects, and changes
    /// of the deletion timestamp, of finalizers or of the pause annotation, always lead to a
    /// reconcile.
    ///
    /// Default: every change, including a status written by someone else. The controller's own
    /// writes never count as changes. A panic of the predicate is logged and counted like one of a
    /// reconcile, and the change leads to a reconcile.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use rustop_manager::{Action, Context, Controller, Result};
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// // neither status nor labels
    /// Controller::new(reconcile)
    ///     .predicate(|before, now| before.metadata.generation != now.metadata.generation);
    /// ```
    #[must_use]
    pub fn predicate(mut self, predicate: impl Fn(&K, &K) -> bool + Send + Sync + 'static) -> Self {
        self.predicate = Some(Arc::new(predicate));
        self
    }

    /// Does the same as [`Controller::predicate`].
    #[deprecated(note = "use `predicate`")]
    #[must_use]
    pub fn when(self, predicate: impl Fn(&K, &K) -> bool + Send + Sync + 'static) -> Self {
        self.predicate(predicate)
    }

    /// Calls `cleanup` before an object is deleted. Objects get the finalizer `name`
    /// (`domain/word`), which is removed after `cleanup` has returned `Ok`. `cleanup` may be called
    /// repeatedly and must be idempotent.
    ///
    /// Use it only for things that Kubernetes does not delete itself, such as resources outside the
    /// cluster or in other namespaces: children with an owner reference are deleted with their
    /// owner.
    ///
    /// Needs `patch` on the kind.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use rustop_manager::{Action, Context, Controller, Result};
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// # async fn forget_name(_: &str) -> Result<()> { Ok(()) }
    /// async fn cleanup(deployment: Arc<Deployment>, _ctx: Context<Deployment>) -> Result<()> {
    ///     forget_name(deployment.metadata.name.as_deref().unwrap_or_default()).await
    /// }
    ///
    /// Controller::new(reconcile).cleanup("my.domain/dns", cleanup);
    /// ```
    #[must_use]
    pub fn cleanup<F, R>(mut self, name: impl Into<String>, cleanup: F) -> Self
    where
        F: Fn(Arc<K>, Context<K>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<()>> + Send + 'static,
    {
        self.work.cleanup = Some((
            name.into(),
            Arc::new(move |object, context| cleanup(object, context).boxed()),
        ));
        self
    }
}

impl<K> Controller<K>
where
    K: AnyObject + Serialize + HasStatus<Status: Clone + Default + Serialize + Send + 'static>,
{
    /// Sets the function that returns the list of conditions in the status. A failed reconcile then
    /// sets the condition `Ready` (or another [`Controller::summary_condition`]) to `False`, with
    /// the reason and the text of the error; the next successful reconcile should set it again. (A
    /// transient error, such as a conflict or an unreachable API server, is reported from the third
    /// failure in a row.)
    ///
    /// An object with the annotation `<group of the kind>/paused` is not reconciled, and gets the
    /// condition `Paused`. The value is `true`, or the time in RFC 3339 at which the pause ends.
    /// Deletion is not held up.
    ///
    /// Needs `patch` on the kind's `/status`.
    ///
    /// ```
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
    /// # use kube::core::object::HasStatus;
    /// # use rustop_manager::{Controller, Object};
    /// # #[derive(Clone, Default, serde::Serialize)]
    /// # struct LolcowStatus { conditions: Vec<Condition> }
    /// # fn example<Lolcow: Object + serde::Serialize + HasStatus<Status = LolcowStatus>>(controller: Controller<Lolcow>) {
    /// controller.conditions(|status| &mut status.conditions);
    /// # }
    /// ```
    #[must_use]
    pub fn conditions<C>(mut self, place: fn(&mut K::Status) -> &mut C) -> Self
    where
        C: Conditions + 'static,
    {
        self.work.report_error = Some(Arc::new(move |context: &Context<K>, reason, text| {
            let events = &context.shared.condition_events;
            let failed = match events.polarity(&events.summary) {
                Polarity::Negative => condition::true_because(&events.summary, reason, text),
                _ => condition::false_because(&events.summary, reason, text),
            };
            context.set_failed(|status| place(status).set(failed));
        }));
        self.work.report_paused = Some(Arc::new(move |context: &Context<K>, paused| {
            let mut seen = context.object.status().cloned().unwrap_or_default();
            let condition = match paused {
                Some(text) => condition::true_because(PAUSED, "Annotated", text),
                None if place(&mut seen).is_met(PAUSED) => {
                    condition::false_because(PAUSED, "Resumed", "the object is no longer paused")
                }
                None => return,
            };
            context.set_status(|status| place(status).set(condition));
        }));
        self
    }
}
