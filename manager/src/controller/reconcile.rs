//! One reconcile from start to end: what surrounds the function that the user wrote.

use std::{
    any::Any,
    hash::{BuildHasher, RandomState},
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::{FutureExt, future::BoxFuture};
use kube::runtime::{controller::Action, events::EventType, reflector::ObjectRef};

use tokio::sync::SemaphorePermit;
use tracing::Instrument;

use crate::{
    controller::{
        backoff::Backoff,
        context::{Context, Shared},
        finalizer::{self, Step},
    },
    error::{Error, Result},
    events::correlator::shorten,
    object::{self, Object},
    status::{Draft, Pace, Unwritten},
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
/// Conditions take no longer messages.
const LONGEST_MESSAGE: usize = 32768;

/// The functions of one controller.
pub(crate) struct Work<K: Object> {
    pub reconcile: Reconcile<K>,
    pub cleanup: Option<(String, Cleanup<K>)>,
    pub blame: Option<Blame<K>>,
    pub backoff: Backoff,
}

/// Reconciles `object` and says when to come back. Never fails: a failure is dealt with in here.
pub(crate) async fn work<K: Object>(
    work: Arc<Work<K>>,
    object: Arc<K>,
    shared: Arc<Shared<K>>,
) -> Action {
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

async fn reconcile<K: Object>(
    work: &Work<K>,
    object: Arc<K>,
    shared: &Arc<Shared<K>>,
    turn: SemaphorePermit<'_>,
) -> Action {
    let key = ObjectRef::from_obj(object.as_ref());
    let context = Context {
        object: object.clone(),
        shared: shared.clone(),
        draft: Draft::default(),
    };
    let mut running = shared.metrics.start(object::label(object.meta()));
    let start = Instant::now();
    let outcome = AssertUnwindSafe(attempt(work, object.clone(), context.clone()))
        .catch_unwind()
        .await;
    running.returned();
    drop(turn);
    let outcome = match outcome {
        // Of an object that is going nobody reads the status.
        Ok(Ok(action)) if object.meta().deletion_timestamp.is_some() => Ok(action),
        Ok(Ok(action)) => context.write_draft(Pace::Limited).await.map(|()| action),
        Ok(Err(error)) => Err(error),
        Err(panic) => Err(Error::new(
            "Panicked",
            format!("reconcile panicked: {}", message_of(panic.as_ref())),
        )),
    };
    let error = match outcome {
        Ok(action) => {
            shared.failures.recovered(&key);
            running.succeeded();
            tracing::debug!(took = ?start.elapsed(), "reconciled");
            return at_once_if_overtaken(object.as_ref(), shared, action);
        }
        Err(error) => error,
    };
    if let Some(action) = put_off(shared, &key, &error) {
        running.put_off();
        tracing::debug!(%error, "the status was not written");
        return at_once_if_overtaken(object.as_ref(), shared, action);
    }
    running.failed(error.reason());
    if shared.stop.is_cancelled() || context.newest().is_none() {
        tracing::debug!(%error, "reconcile failed, but the object is gone or the operator stops");
        shared.failures.reset(&key);
        return at_once_if_overtaken(object.as_ref(), shared, Action::await_change());
    }
    let action = retry_later(work, &context, key, &error).await;
    at_once_if_overtaken(object.as_ref(), shared, action)
}

/// What to do after a reconcile that did not fail: it only could not write its status.
fn put_off<K: Object>(shared: &Shared<K>, key: &ObjectRef<K>, error: &Error) -> Option<Action> {
    match error.downcast_ref::<Unwritten>()? {
        // What has come in its place, if anything has, is told by the watch.
        Unwritten::Gone => {
            shared.failures.reset(key);
            Some(Action::await_change())
        }
        Unwritten::TooOften(wait) => {
            shared.failures.recovered(key);
            Some(Action::requeue(*wait))
        }
        // Somebody who changes it all the time makes a failure of it.
        Unwritten::Clash(_) if shared.failures.in_a_row(key) == 0 => {
            shared.failures.add(key.clone(), &error.to_string());
            Some(Action::requeue(Duration::ZERO))
        }
        Unwritten::Clash(_) => None,
    }
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
async fn attempt<K: Object>(work: &Work<K>, object: Arc<K>, context: Context<K>) -> Result<Action> {
    let Some((name, cleanup)) = &work.cleanup else {
        return (work.reconcile)(object, context).await;
    };
    match finalizer::step(object.as_ref(), name) {
        Step::Reconcile => return (work.reconcile)(object, context).await,
        Step::Add(patch) => finalizer::change(&context, patch).await?,
        Step::CleanUp(patch) => {
            cleanup(object, context.clone()).await?;
            finalizer::change(&context, patch).await?;
        }
        Step::Leave => {}
    }
    Ok(Action::await_change())
}

async fn retry_later<K: Object>(
    work: &Work<K>,
    context: &Context<K>,
    key: ObjectRef<K>,
    error: &Error,
) -> Action {
    let text = shorten(&error.to_string(), LONGEST_MESSAGE);
    let (failures, news) = context.shared.failures.add(key, &text);
    let delay = delay(work.backoff, error, failures);
    if error.reason() == "NotLeader" {
        tracing::debug!("not written: this process does not lead any more");
        return Action::requeue(delay);
    }
    tracing::warn!(reason = error.reason(), failures, retry_in = ?delay, "reconcile failed: {text}");
    let told = !error.is_transient() || failures >= PATIENCE;
    let blame = work.blame.as_ref().filter(|_| told);
    if let Some(blame) = blame {
        blame(context, error.reason(), text.clone());
    } else if told && news {
        context.event(EventType::Warning, error.reason(), &text);
    }
    let Err(unwritten) = context.write_draft(Pace::Limited).await else {
        return Action::requeue(delay);
    };
    match unwritten.downcast_ref() {
        Some(Unwritten::Gone) => return Action::await_change(),
        Some(Unwritten::TooOften(wait)) => return Action::requeue(delay.min(*wait)),
        Some(Unwritten::Clash(_)) | None => {}
    }
    tracing::warn!(error = %unwritten, "the status could not be written");
    // It may be what the reconcile has set that cannot be written. The error must not be lost with it.
    if let Some(blame) = blame {
        blame(context, error.reason(), text.clone());
        if context.write_draft(Pace::Any).await.is_err() && news {
            context.event(EventType::Warning, error.reason(), &text);
        }
    }
    Action::requeue(delay)
}

fn delay(mut backoff: Backoff, error: &Error, failures: u32) -> Duration {
    if error.is_transient() {
        backoff.longest = backoff.longest.min(OUTAGE);
    }
    backoff.delay(failures)
}

/// The text of a panic.
pub(crate) fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

#[cfg(test)]
#[path = "reconcile_tests.rs"]
pub(crate) mod tests;
