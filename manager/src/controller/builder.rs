//! The builder of a controller: what is watched, and what is called.

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
use crate::limits::Limits;
use crate::object::{AnyObject, Object};

/// A reconcile may take so long.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Watches objects of kind `K` and calls a function whenever one may need attention.
///
/// - The function is called for every object at start, and again whenever the object or one of its
///   children changed. It is never called twice at a time for the same object.
/// - An `Err` or a panic is logged and counted, becomes a condition (see [`Controller::conditions`])
///   and an event, and is retried with [`Backoff`], for each object on its own.
/// - An object that is being deleted is left alone, unless there is a [`Controller::cleanup`].
///
/// ```
/// # use std::{sync::Arc, time::Duration};
/// # use k8s_openapi::api::{apps::v1::Deployment, batch::v1::Job, core::v1::Service};
/// # use manager::{Action, Backoff, Context, Controller, Result};
/// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
/// Controller::new(reconcile)
///     .owns::<Job>() // what `reconcile` creates
///     .owns::<Service>()
///     .concurrency(4)
///     .backoff(Backoff {
///         longest: Duration::from_secs(60),
///         ..Backoff::default()
///     });
/// ```
pub struct Controller<K: AnyObject> {
    pub(crate) kind: K::DynamicType,
    pub(crate) name: String,
    pub(crate) work: Work<K>,
    pub(crate) concurrency: u16,
    pub(crate) pace: Option<Limits<()>>,
    pub(crate) predicate: Option<Predicate<K>>,
    pub(crate) sources: Vec<Source<K>>,
    pub(crate) triggers: Vec<BoxStream<'static, ObjectRef<K>>>,
    pub(crate) indexes: Vec<AddIndex>,
    pub(crate) condition_events: ConditionEvents,
}

/// Adds an index to the caches of a kind, for the controller with this field manager.
pub(crate) type AddIndex = Box<dyn FnOnce(&Informers, &str) + Send>;

impl<K: Object + Serialize> Controller<K> {
    /// A controller that calls `reconcile`, one object at a time. It is called like the kind, in
    /// lower case.
    pub fn new<F, R>(reconcile: F) -> Self
    where
        F: Fn(Arc<K>, Context<K>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action>> + Send + 'static,
    {
        Self::of((), reconcile)
    }
}

impl<K: AnyObject + Serialize> Controller<K> {
    pub(crate) fn of<F, R>(kind: K::DynamicType, reconcile: F) -> Self
    where
        F: Fn(Arc<K>, Context<K>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action>> + Send + 'static,
    {
        let work = Work {
            reconcile: Arc::new(move |object, context| reconcile(object, context).boxed()),
            cleanup: None,
            blame: None,
            hold: None,
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
        }
    }

    /// Another name, needed when two controllers of one manager work on the same kind. It appears
    /// in logs, metrics and, as `operator/name`, as the field manager of everything it applies:
    /// renaming a controller that has run before leaves the old name's fields behind.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The type of the condition that sums up the others, in which a failed reconcile is reported and which
    /// [`Context::apply_in_order`] returns. Default: `Ready`.
    ///
    /// ```
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
    /// # use kube::core::object::HasStatus;
    /// # use manager::{Controller, Object};
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

    /// Types of conditions that report a problem by `True`: when one becomes `True`, the event is a warning. Known without
    /// this are the names of the conventions, such as `Degraded`, `Failed` and `Stalled`.
    #[must_use]
    pub fn negative_conditions<T: Into<String>>(
        mut self,
        types: impl IntoIterator<Item = T>,
    ) -> Self {
        let types = types.into_iter().map(Into::into);
        self.condition_events.negative.extend(types);
        self
    }

    /// Types of conditions whose changes are not published as events. (A failed reconcile is published all the same.)
    #[must_use]
    pub fn silent_conditions<T: Into<String>>(
        mut self,
        types: impl IntoIterator<Item = T>,
    ) -> Self {
        let types = types.into_iter().map(Into::into);
        self.condition_events.silent.extend(types);
        self
    }

    /// How many objects are worked on at the same time, in turns on the threads of [`Manager::worker_threads`](crate::Manager::worker_threads). Default: 1. Those whose status is
    /// being written after their reconcile has returned do not count.
    #[must_use]
    pub fn concurrency(mut self, objects: u16) -> Self {
        self.concurrency = objects.max(1);
        self
    }

    /// How often reconciles of this controller may start, all objects together: `burst` of them at once, then one in
    /// `every`. Default: as often as there is a reason. For those that ask a service which counts requests.
    ///
    /// ```
    /// # use std::{sync::Arc, time::Duration};
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use manager::{Action, Context, Controller, Result};
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// Controller::new(reconcile).rate_limit(100, Duration::from_millis(200));
    /// ```
    #[must_use]
    pub fn rate_limit(mut self, burst: u32, every: Duration) -> Self {
        self.pace = Some(Limits::new(burst.max(1), every));
        self
    }

    /// How long a failed object waits. Default: 200 ms, doubled up to 5 minutes.
    #[must_use]
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.work.backoff = backoff;
        self
    }

    /// How long one call of `reconcile` or `cleanup` may take; `None` is forever. Default: 5 minutes. One that
    /// takes longer is dropped where it waits, and has failed with the reason `TimedOut`. After 30 s the log says
    /// what it waits for: a request of this operator, or what [`Context::waiting_for`] was told. What computes or
    /// blocks cannot be ended like that.
    ///
    /// ```
    /// # use std::{sync::Arc, time::Duration};
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use manager::{Action, Context, Controller, Result};
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// Controller::new(reconcile).timeout(Duration::from_secs(60));
    /// ```
    #[must_use]
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.work.timeout = timeout.into();
        self
    }

    /// Which changes of the object itself matter: called with the object before and after. Objects
    /// seen for the first time, and those whose deletion or finalizers changed, always matter.
    ///
    /// Default: everything, also a status that another controller or somebody else has written. What this
    /// controller wrote itself is never a change.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use manager::{Action, Context, Controller, Result};
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// // neither status nor labels
    /// Controller::new(reconcile)
    ///     .when(|before, now| before.metadata.generation != now.metadata.generation);
    /// ```
    #[must_use]
    pub fn when(mut self, predicate: impl Fn(&K, &K) -> bool + Send + Sync + 'static) -> Self {
        self.predicate = Some(Arc::new(predicate));
        self
    }

    /// Calls `cleanup` before an object may go: objects get the finalizer `name` (`domain/word`),
    /// and it is taken away only once `cleanup` has returned `Ok`. It must bear being called again.
    ///
    /// Only for what Kubernetes does not delete by itself, such as things outside the cluster or in
    /// other namespaces: children with an owner reference go with their owner.
    ///
    /// Needs `patch` on the kind.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use manager::{Action, Context, Controller, Result};
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
    /// Where in the status the conditions are. A reconcile that fails then sets the condition
    /// `Ready` (or another [`Controller::summary_condition`]) to `False`, with the error's reason and text; the next one that works should set it
    /// to what it is. (A conflict or an API server out of reach counts as a failure from the third
    /// time in a row.)
    ///
    /// Also, an object with the annotation `<group of the kind>/paused` (`true`, or until when: a time
    /// in RFC 3339) is not reconciled, and says so in the condition `Paused`. Its deletion is not held up.
    ///
    /// Needs `patch` on the kind's `/status`.
    ///
    /// ```
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
    /// # use kube::core::object::HasStatus;
    /// # use manager::{Controller, Object};
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
        self.work.blame = Some(Arc::new(move |context: &Context<K>, reason, text| {
            let events = &context.shared.condition_events;
            let failed = match events.polarity(&events.summary) {
                Polarity::Negative => condition::met(&events.summary, reason, text),
                _ => condition::unmet(&events.summary, reason, text),
            };
            context.set_failed(|status| place(status).set(failed));
        }));
        self.work.hold = Some(Arc::new(move |context: &Context<K>, paused| {
            let mut seen = context.object.status().cloned().unwrap_or_default();
            let condition = match paused {
                Some(text) => condition::met(PAUSED, "Annotated", text),
                None if place(&mut seen).is_met(PAUSED) => {
                    condition::unmet(PAUSED, "Resumed", "it is worked on again")
                }
                None => return,
            };
            context.set_status(|status| place(status).set(condition));
        }));
        self
    }
}
