//! One reconcile from start to end: what surrounds the function that the user wrote.

use std::{
    any::Any,
    hash::{BuildHasher, RandomState},
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::{FutureExt, future::BoxFuture};
use kube::{
    Api, ResourceExt,
    runtime::{
        controller::Action,
        events::EventType,
        finalizer::{Error as FinalizerError, Event, finalizer},
        reflector::ObjectRef,
    },
};

use tokio::sync::SemaphorePermit;
use tracing::Instrument;

use crate::{
    backoff::Backoff,
    context::{Context, Shared},
    error::{Error, Result},
    object::{self, Object, Scope},
    status::Draft,
};

pub(crate) type Reconcile<K> =
    Arc<dyn Fn(Arc<K>, Context<K>) -> BoxFuture<'static, Result<Action>> + Send + Sync>;
pub(crate) type Cleanup<K> =
    Arc<dyn Fn(Arc<K>, Context<K>) -> BoxFuture<'static, Result<()>> + Send + Sync>;
/// Sets a condition of the object that tells of an error.
pub(crate) type Blame<K> = Arc<dyn Fn(&Context<K>, &'static str, String) + Send + Sync>;

/// Transient errors are no news until they have happened this often in a row.
const PATIENCE: u32 = 3;
/// Objects that wait for the API server wait no longer than watches do: once it is back, so are they.
const OUTAGE: Duration = Duration::from_secs(30);

/// The functions of one controller.
pub(crate) struct Work<K: Object> {
    pub reconcile: Reconcile<K>,
    pub cleanup: Option<(String, Cleanup<K>)>,
    pub blame: Option<Blame<K>>,
    pub backoff: Backoff,
}

/// Reconciles `object` and says when to come back. Never fails: a failure is dealt with in here.
pub(crate) async fn work<K>(work: Arc<Work<K>>, object: Arc<K>, shared: Arc<Shared<K>>) -> Action
where
    K: Object + serde::Serialize,
{
    let turn = shared.turns.acquire().await;
    // It may have changed, or gone, while it waited.
    let newest = shared.main.get(&ObjectRef::from_obj(object.as_ref()));
    let (Ok(turn), Some(object)) = (turn, newest) else {
        return Action::await_change();
    };
    let deleting = object.meta().deletion_timestamp.is_some();
    if shared.stop.is_cancelled() || deleting && work.cleanup.is_none() {
        return Action::await_change();
    }
    let span = tracing::error_span!(
        "reconcile",
        controller = shared.metrics.controller(),
        object = %object::label(object.meta()),
        reconcile_id = format_args!("{:016x}", RandomState::new().hash_one(())),
    );
    reconcile(&work, object, &shared, turn)
        .instrument(span)
        .await
}

async fn reconcile<K>(
    work: &Work<K>,
    object: Arc<K>,
    shared: &Arc<Shared<K>>,
    turn: SemaphorePermit<'_>,
) -> Action
where
    K: Object + serde::Serialize,
{
    let key = ObjectRef::from_obj(object.as_ref());
    let context = Context {
        object: object.clone(),
        shared: shared.clone(),
        draft: Draft::default(),
    };
    let mut running = shared.metrics.start();
    let start = Instant::now();
    let outcome = AssertUnwindSafe(attempt(work, object.clone(), context.clone()))
        .catch_unwind()
        .await;
    running.returned();
    drop(turn);
    let outcome = match outcome {
        // Of an object that is going nobody reads the status.
        Ok(Ok(action)) if object.meta().deletion_timestamp.is_some() => Ok(action),
        Ok(Ok(action)) => context.write_draft().await.map(|()| action),
        Ok(Err(error)) => Err(error),
        Err(panic) => Err(Error::new(
            "Panicked",
            format!("reconcile panicked: {}", message_of(panic.as_ref())),
        )),
    };
    let error = match outcome {
        Ok(action) => {
            shared.failures.reset(&key);
            running.succeeded();
            tracing::debug!(took = ?start.elapsed(), "reconciled");
            return at_once_if_overtaken(object.as_ref(), shared, action);
        }
        Err(error) => error,
    };
    running.failed(error.reason());
    if shared.stop.is_cancelled() || shared.main.get(&key).is_none() {
        tracing::debug!(%error, "reconcile failed, but the object is gone or the operator stops");
        shared.failures.reset(&key);
        return Action::await_change();
    }
    let action = retry_later(work, &context, key, &error).await;
    at_once_if_overtaken(object.as_ref(), shared, action)
}

/// The answer to a status write may show a change that no watch has reported yet. The cache has taken
/// it in, so the watch will not tell of it any more: it is acted on from here.
fn at_once_if_overtaken<K: Object>(object: &K, shared: &Shared<K>, action: Action) -> Action {
    let newest = shared.main.get(&ObjectRef::from_obj(object));
    let overtaken = newest.is_some_and(|newest| {
        object::differ_vitally(object.meta(), newest.meta())
            || object::differ_besides_status(object.meta(), newest.meta())
                && (shared.matters)(object, &newest)
    });
    if overtaken {
        Action::requeue(Duration::ZERO)
    } else {
        action
    }
}

/// The finalizer first, where there is one, then the function that the user wrote.
async fn attempt<K>(work: &Work<K>, object: Arc<K>, context: Context<K>) -> Result<Action>
where
    K: Object + serde::Serialize,
{
    let Some((name, cleanup)) = &work.cleanup else {
        return (work.reconcile)(object, context).await;
    };
    let api: Api<K> = K::Scope::api(context.client().clone(), object.namespace().as_deref());
    let step = |event| async {
        match event {
            Event::Apply(object) => (work.reconcile)(object, context).await.map_err(Carried),
            Event::Cleanup(object) => cleanup(object, context)
                .await
                .map(|()| Action::await_change())
                .map_err(Carried),
        }
    };
    finalizer(&api, name, object, step)
        .await
        .map_err(|error| match error {
            FinalizerError::ApplyFailed(Carried(error))
            | FinalizerError::CleanupFailed(Carried(error)) => error,
            FinalizerError::AddFinalizer(error) | FinalizerError::RemoveFinalizer(error) => {
                refused_finalizer(error)
            }
            other => Error::new("InvalidFinalizer", other.to_string()),
        })
}

async fn retry_later<K: Object>(
    work: &Work<K>,
    context: &Context<K>,
    key: ObjectRef<K>,
    error: &Error,
) -> Action {
    let text = error.to_string();
    let (failures, news) = context.shared.failures.add(key, &text);
    let delay = delay(work.backoff, error, failures);
    if error.reason() == "NotLeader" {
        tracing::debug!("not written: this process does not lead any more");
        return Action::requeue(delay);
    }
    tracing::warn!(reason = error.reason(), failures, retry_in = ?delay, "reconcile failed: {text}");
    if !error.is_transient() || failures >= PATIENCE {
        match &work.blame {
            Some(blame) => blame(context, error.reason(), text),
            None if news => context.event(EventType::Warning, error.reason(), &text),
            None => {}
        }
    }
    if let Err(error) = context.write_draft().await {
        tracing::warn!(%error, "the status could not be written");
    }
    Action::requeue(delay)
}

fn delay(mut backoff: Backoff, error: &Error, failures: u32) -> Duration {
    if error.is_transient() {
        backoff.longest = backoff.longest.min(OUTAGE);
    }
    backoff.delay(failures)
}

/// Finalizers are changed by a patch that fails when they are not what the cache has: that the cache
/// is late is a conflict like others.
fn refused_finalizer(error: kube::Error) -> Error {
    let late = matches!(&error, kube::Error::Api(status) if [404, 422].contains(&status.code));
    let error = Error::from(error);
    if late {
        error.with_reason("Conflict")
    } else {
        error
    }
}

/// The text of a panic.
pub(crate) fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

/// kube's `finalizer` wants a `std::error::Error`.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Carried(Error);

#[cfg(test)]
#[path = "worker_tests.rs"]
pub(crate) mod tests;
