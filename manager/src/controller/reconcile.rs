//! One reconcile from start to end: what surrounds the function that the user wrote.

use std::{
    any::Any,
    hash::{BuildHasher, RandomState},
    panic::AssertUnwindSafe,
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::{FutureExt, future::BoxFuture};
use kube::runtime::{events::EventType, reflector::ObjectRef};
use tokio::sync::OwnedSemaphorePermit;
use tracing::Instrument;

use crate::{
    controller::{
        action::Action,
        backoff::Backoff,
        cause::Cause,
        context::{Context, Run, Shared},
        finalizer::{self, Step},
        loops::Steps,
        queue::Turn,
        under_way::{WAITS, Waits},
    },
    error::{Error, Result},
    events::correlator::shorten,
    http::metrics::{Running, TIMED_OUT},
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
/// Who asks to be called again sooner than this does nothing else.
const RESTLESS: Duration = Duration::from_secs(1);
/// Conditions take no longer messages.
const LONGEST_MESSAGE: usize = 32768;

/// The functions of one controller.
pub(crate) struct Work<K: Object> {
    pub reconcile: Reconcile<K>,
    pub cleanup: Option<(String, Cleanup<K>)>,
    pub blame: Option<Blame<K>>,
    pub backoff: Backoff,
    pub timeout: Option<Duration>,
}

/// Reconciles the object whose turn it is, and says when and why to come back. Never fails: a failure is dealt with
/// in here.
pub(crate) async fn work<K: Object>(
    work: Arc<Work<K>>,
    turn: Turn<K>,
    permit: OwnedSemaphorePermit,
    shared: Arc<Shared<K>>,
) -> Option<(Duration, Cause)> {
    // It may have changed, or gone, while it waited.
    let object = shared.main.get(&turn.key)?;
    let deleting = object.meta().deletion_timestamp.is_some();
    if shared.stop.is_cancelled() || deleting && work.cleanup.is_none() {
        return None;
    }
    let span = tracing::error_span!(
        "reconcile",
        controller = shared.metrics.controller(),
        object = %object::label(object.meta()),
        reconcile_id = format_args!("{:016x}", RandomState::new().hash_one(())),
        cause = %turn.causes,
    );
    let run = Arc::new(Run {
        steps: Steps::new(shared.loops.suspects(&turn.key)),
        causes: turn.causes,
        waits: Waits::default(),
    });
    let context = Context {
        object,
        shared,
        draft: Draft::default(),
        run,
    };
    let (action, cause) = reconcile(&work, &context, permit).instrument(span).await;
    Some((action.after()?, cause))
}

async fn reconcile<K: Object>(
    work: &Work<K>,
    context: &Context<K>,
    permit: OwnedSemaphorePermit,
) -> (Action, Cause) {
    let Context {
        object,
        shared,
        run,
        ..
    } = context;
    let key = ObjectRef::from_obj(object.as_ref());
    let name = object::label(object.meta());
    let mut running = shared.metrics.start(name, &run.causes, run.waits.clone());
    let start = Instant::now();
    let outcome = limited(work, context).await;
    running.returned();
    drop(permit);
    let outcome = match outcome {
        // Of an object that is going nobody reads the status.
        Ok(action) if object.meta().deletion_timestamp.is_some() => Ok(action),
        Ok(action) => context.write_draft(Pace::Limited).await.map(|()| action),
        Err(error) => Err(error),
    };
    let (action, cause) = match outcome {
        Ok(action) => {
            shared.failures.recovered(&key);
            running.succeeded(action.after());
            tracing::debug!(took = ?start.elapsed(), "reconciled");
            look_for_loops(context, &key, action);
            (action, Cause::Time)
        }
        Err(error) => (
            failed(work, context, key, running, &error).await,
            Cause::Retry,
        ),
    };
    at_once_if_overtaken(object.as_ref(), shared).unwrap_or((action, cause))
}

/// Calls what the user wrote, and takes what does not return, or panics, for a failure.
async fn limited<K: Object>(work: &Work<K>, context: &Context<K>) -> Result<Action> {
    let attempt = attempt(work, context.object.clone(), context.clone());
    let attempt = WAITS.scope(context.run.waits.clone(), attempt);
    let mut attempt = pin!(AssertUnwindSafe(attempt).catch_unwind());
    let outcome = match work.timeout {
        Some(timeout) => tokio::time::timeout(timeout, &mut attempt).await,
        None => Ok(attempt.await),
    };
    let Ok(outcome) = outcome else {
        let seconds = work.timeout.unwrap_or_default().as_secs_f64();
        let waits = context.run.waits.told(Instant::now());
        let text = format!("reconcile was ended because it took longer than {seconds} s{waits}");
        return Err(Error::new(TIMED_OUT, text));
    };
    outcome.unwrap_or_else(|panic| {
        let text = format!("reconcile panicked: {}", message_of(panic.as_ref()));
        Err(Error::new("Panicked", text))
    })
}

/// Deals with a failure, and says when to try again.
async fn failed<K: Object>(
    work: &Work<K>,
    context: &Context<K>,
    key: ObjectRef<K>,
    running: Running<'_>,
    error: &Error,
) -> Action {
    let shared = &context.shared;
    if let Some(action) = put_off(shared, &key, error) {
        running.put_off();
        tracing::debug!(%error, "the status was not written");
        return action;
    }
    running.failed(error.reason());
    if shared.stop.is_cancelled() || context.newest().is_none() {
        tracing::debug!(%error, "reconcile failed, but the object is gone or the operator stops");
        shared.failures.reset(&key);
        return Action::await_change();
    }
    retry_later(work, context, key, error).await
}

/// Tells of reconciles that lead to one another.
fn look_for_loops<K: Object>(context: &Context<K>, key: &ObjectRef<K>, action: Action) {
    let Context { shared, run, .. } = context;
    if run.causes.iter().any(Cause::is_outside) {
        return shared.loops.end(key);
    }
    let restless = action.after().is_some_and(|after| after < RESTLESS);
    let Some(done) = run.steps.hash().or(restless.then_some(0)) else {
        return;
    };
    if shared.loops.add(key.clone(), done, Instant::now()) {
        let text = format!(
            "reconciled again and again though nobody changed it (cause: {}); {}",
            run.causes,
            run.steps.swings()
        );
        tracing::warn!("{text}");
        shared.metrics.loops();
        context.event(EventType::Warning, "ReconcileLoop", &text);
    }
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
fn at_once_if_overtaken<K: Object>(object: &K, shared: &Shared<K>) -> Option<(Action, Cause)> {
    let newest = shared.main.get(&ObjectRef::from_obj(object))?;
    let overtaken = object::differ_vitally(object.meta(), newest.meta())
        || object::differ_besides_status(object.meta(), newest.meta())
            && (shared.matters)(object, &newest);
    overtaken.then_some((Action::requeue(Duration::ZERO), Cause::Changed))
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
