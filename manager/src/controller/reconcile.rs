//! Runs one reconcile: everything around the user's function.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, future::BoxFuture};
use kube::runtime::{events::EventType, reflector::ObjectRef};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use tracing::Instrument;

use crate::apply::sequence::Unfinished;
use crate::backoff::Backoff;
use crate::client::pending_waits::{WAITS, Waits};
use crate::context::{Context, Draft, Pace, Run, cause::Cause, write_log::WriteLog};
use crate::controller::action::Action;
use crate::controller::finalizer::{self, FinalizerStep};
use crate::controller::metrics::{Running, TIMED_OUT};
use crate::controller::pause::{self, Pause};
use crate::controller::queue::QueueItem;
use crate::controller::state::ControllerState;
use crate::error::{Error, Result, message_of};
use crate::events::correlator::shorten;
use crate::object::{self, AnyObject};
#[cfg(feature = "otel")]
use crate::otel::trace::{self, Trace};
use crate::planted::{Bug, is_planted};
use crate::random;
use crate::reason::Reason;
#[cfg(feature = "testing")]
use crate::recorder;
use crate::status::Unwritten;

/// The user's reconcile function.
pub(crate) type Reconcile<K> =
    Arc<dyn Fn(Arc<K>, Context<K>) -> BoxFuture<'static, Result<Action>> + Send + Sync>;
/// The user's cleanup function.
pub(crate) type Cleanup<K> =
    Arc<dyn Fn(Arc<K>, Context<K>) -> BoxFuture<'static, Result<()>> + Send + Sync>;
/// Sets the condition that reports an error, given the error's reason and text. It only drafts the
/// status; `Context::write_draft` writes it.
pub(crate) type ReportError<K> = Arc<dyn Fn(&Context<K>, &'static str, String) + Send + Sync>;
/// Sets the condition `Paused`, given the message of the pause; `None` if the object is not paused.
/// It only drafts the status, which is written after the reconcile.
pub(crate) type ReportPaused<K> = Arc<dyn Fn(&Context<K>, Option<String>) + Send + Sync>;

/// A transient error is reported from this many failures in a row.
const REPORTED_FAILURES: u32 = 3;
/// Maximum delay while the API server is unreachable. It equals that of watches, so that objects
/// recover as fast as they do.
const OUTAGE: Duration = Duration::from_secs(30);
/// A requeue delay below this counts towards a hot loop.
const RESTLESS: Duration = Duration::from_secs(1);
/// The API server rejects conditions with a longer message.
const LONGEST_MESSAGE: usize = 32768;

/// The user's functions of one controller, and how they are run.
pub(crate) struct Work<K: AnyObject> {
    pub reconcile: Reconcile<K>,
    /// The name of the finalizer, and the function; `None` if objects are deleted without a
    /// cleanup.
    pub cleanup: Option<(String, Cleanup<K>)>,
    /// `None` if the controller reports no conditions: errors are published as events only.
    pub report_error: Option<ReportError<K>>,
    /// `None` if the controller reports no conditions. Objects can be paused nevertheless.
    pub report_paused: Option<ReportPaused<K>>,
    /// The delays between retries.
    pub backoff: Backoff,
    /// Time limit for one call of a function; `None` for no limit.
    pub timeout: Option<Duration>,
}

/// Reconciles an object from the queue. Returns the delay and the cause of the next reconcile;
/// `None` if it waits for a change, or if the object was not reconciled because it is gone, belongs
/// to another replica, or the controller is stopping. Failures are handled here, and so are panics
/// of code of the user that runs outside of the user's function: a predicate, or the serialization
/// of a status, for example. `permit` is released when the user's function has returned.
pub(crate) async fn work<K: AnyObject>(
    work: Arc<Work<K>>,
    item: QueueItem<K>,
    permit: OwnedSemaphorePermit,
    state: Arc<ControllerState<K>>,
) -> Option<(Duration, Cause)> {
    let key = item.key.clone();
    let done = AssertUnwindSafe(reconcile_item(&work, item, permit, &state));
    done.catch_unwind().await.unwrap_or_else(|panic| {
        let delay = retry_after_panic(&work, &state, &key, panic.as_ref());
        Some((delay, Cause::Retry))
    })
}

/// Does the same as [`work`], but panics if code outside of the user's function does.
async fn reconcile_item<K: AnyObject>(
    work: &Work<K>,
    item: QueueItem<K>,
    permit: OwnedSemaphorePermit,
    state: &Arc<ControllerState<K>>,
) -> Option<(Duration, Cause)> {
    // The object may have changed, or been deleted, while it waited.
    let object = state.shared.main.get(&item.key)?;
    let deleting = object.meta().deletion_timestamp.is_some();
    if state.stop.is_cancelled() || deleting && work.cleanup.is_none() {
        return None;
    }
    let client = state.shared.client.clone();
    // Keeps the shard on this replica until the reconcile has ended.
    let (_working, client) = match &state.owned_shards {
        Some(owned_shards) => owned_shards
            .begin(&item.key)
            .map(|(it, client)| (Some(it), client))?,
        None => (None, client),
    };
    let name = object::label(object.meta());
    #[cfg(feature = "otel")]
    let trace = Trace::begin(
        state.metrics.trace(&item.causes),
        &name,
        &item.causes,
        item.waited,
    );
    let span = tracing::error_span!(
        "reconcile",
        controller = state.metrics.controller(),
        object = %name,
        reconcile_id = format_args!("{:016x}", random::number()),
        cause = %item.causes,
        trace_id = tracing::field::Empty,
    );
    #[cfg(feature = "otel")]
    trace.attach_to(&span);
    let run = Arc::new(Run {
        writes: WriteLog::new(state.loops.suspects(&item.key)),
        causes: item.causes,
        waits: Waits::default(),
    });
    let context = Context {
        object,
        client,
        shared: state.shared.clone(),
        draft: Draft::default(),
        run,
    };
    #[cfg(feature = "testing")]
    let causes = &context.run.causes;
    #[cfg(feature = "testing")]
    recorder::reconcile_starts(state.metrics.controller(), &name, causes).await;
    let done = reconcile(work, state, &context, permit).instrument(span);
    let (action, cause) = done.await;
    Some((action.after()?, cause))
}

/// Calls the user's function, writes the status, and records the result in metrics, log and trace.
/// Returns the next reconcile and its cause, which is without meaning if the action awaits a
/// change.
async fn reconcile<K: AnyObject>(
    work: &Work<K>,
    state: &ControllerState<K>,
    context: &Context<K>,
    permit: OwnedSemaphorePermit,
) -> (Action, Cause) {
    let Context { object, run, .. } = context;
    let key = context.object_ref();
    let name = object::label(object.meta());
    let mut running = state.metrics.start(name, &run.causes, run.waits.clone());
    let start = Instant::now();
    let outcome = unless_paused(work, context).await;
    running.returned();
    drop(permit);
    let outcome = match outcome {
        // The status of a deleted object is of no use.
        Ok(action) if object.meta().deletion_timestamp.is_some() => Ok(action),
        Ok(action) => context.write_draft(Pace::Limited).await.map(|()| action),
        Err(error) => Err(error),
    };
    #[cfg(feature = "testing")]
    let failure = outcome
        .as_ref()
        .err()
        .map(|error| (error.reason(), error.to_string()));
    let (action, cause) = match outcome {
        Ok(action) => {
            state.failures.recovered(&key);
            running.succeeded(action.after());
            tracing::debug!(took = ?start.elapsed(), "reconciled");
            look_for_loops(state, context, &key, action);
            (action, Cause::Time)
        }
        Err(error) => (
            failed(work, state, context, key, running, &error).await,
            Cause::Retry,
        ),
    };
    let (action, cause) = at_once_if_overtaken(object, state).unwrap_or((action, cause));
    #[cfg(feature = "testing")]
    {
        let (controller, name) = (state.metrics.controller(), object::label(object.meta()));
        recorder::reconcile_ends(controller, &name, failure, action.after());
    }
    (action, cause)
}

/// Calls the user's function, unless the object is paused. Updates the condition `Paused`.
async fn unless_paused<K: AnyObject>(work: &Work<K>, context: &Context<K>) -> Result<Action> {
    let now = crate::clock::now();
    let pause = Pause::of(context.kind(), context.object.as_ref(), now);
    if let Some(report_paused) = &work.report_paused {
        report_paused(context, pause.as_ref().map(|pause| pause.text.clone()));
    }
    if let Some(pause) = pause {
        tracing::debug!("{}", pause.text);
        return Ok(pause.action(now));
    }
    tracing::debug!("reconciling");
    limited(work, context).await
}

/// Calls the user's function. A panic or a timeout becomes an error.
async fn limited<K: AnyObject>(work: &Work<K>, context: &Context<K>) -> Result<Action> {
    let attempt = attempt(work, context.object.clone(), context.clone());
    let attempt = WAITS.scope(context.run.waits.clone(), attempt);
    let mut attempt = pin!(AssertUnwindSafe(attempt).catch_unwind());
    let outcome = match work.timeout {
        Some(timeout) => tokio::time::timeout(timeout, &mut attempt).await,
        None => Ok(attempt.await),
    };
    let Ok(outcome) = outcome else {
        let seconds = work.timeout.unwrap_or_default().as_secs_f64();
        let waits = context.run.waits.describe(Instant::now());
        let text = format!("reconcile timed out after {seconds} s{waits}");
        return Err(Error::new(TIMED_OUT, text));
    };
    outcome.unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}

/// Returns the error of a reconcile that panicked.
fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = format!("reconcile panicked: {}", message_of(panic));
    Error::new("Panicked", text)
}

/// Counts and logs a panic outside of the user's function as a failure. Returns the backoff delay.
fn retry_after_panic<K: AnyObject>(
    work: &Work<K>,
    state: &ControllerState<K>,
    key: &ObjectRef<K>,
    panic: &(dyn Any + Send),
) -> Duration {
    let error = panicked(panic);
    let controller = state.metrics.controller();
    let name = match &key.namespace {
        Some(namespace) => format!("{namespace}/{}", key.name),
        None => key.name.clone(),
    };
    state.metrics.failed(error.reason());
    let (failures, _) = state.failures.add(key.clone(), &error.to_string());
    let delay = delay(work.backoff, &error, failures);
    tracing::warn!(controller, object = %name, failures, retry_in = ?delay, "reconcile failed: {error}");
    #[cfg(feature = "testing")]
    {
        let failure = Some((error.reason(), error.to_string()));
        recorder::reconcile_ends(controller, &name, failure, Some(delay));
    }
    delay
}

/// Handles a failure and returns when to retry.
async fn failed<K: AnyObject>(
    work: &Work<K>,
    state: &ControllerState<K>,
    context: &Context<K>,
    key: ObjectRef<K>,
    running: Running<'_>,
    error: &Error,
) -> Action {
    if let Some(action) = put_off(state, &key, error) {
        running.put_off();
        tracing::debug!("reconcile postponed: {error}");
        return action;
    }
    running.failed(error.reason());
    #[cfg(feature = "otel")]
    trace::failed(error.reason(), error);
    if state.stop.is_cancelled() || context.newest().is_none() {
        tracing::debug!(%error, "reconcile failed, but the object was deleted or the operator is stopping");
        state.failures.reset(&key);
        return Action::await_change();
    }
    retry_later(work, state, context, key, error).await
}

/// Records the reconcile for the detection of reconcile loops. Reports a loop in the log, in a
/// metric and as an event.
fn look_for_loops<K: AnyObject>(
    state: &ControllerState<K>,
    context: &Context<K>,
    key: &ObjectRef<K>,
    action: Action,
) {
    let run = &context.run;
    if run.causes.are_outside() {
        return state.loops.forget(key);
    }
    // A reconcile that wrote nothing counts only if it requeues its object early.
    let restless = action.after().is_some_and(|after| after < RESTLESS);
    let Some(done) = run.writes.hash().or(restless.then_some(0)) else {
        return;
    };
    if state.loops.add(key.clone(), done, Instant::now()) {
        let text = format!(
            "reconciled repeatedly without an external change (cause: {}); {}",
            run.causes,
            run.writes.describe()
        );
        tracing::warn!("{text}");
        state.metrics.loops();
        context.event(EventType::Warning, "ReconcileLoop", &text);
    }
}

/// Returns the action if the error is not a failure: the status could not be written yet, or a
/// cleanup has to wait. Returns `None` if the error is a failure.
fn put_off<K: AnyObject>(
    state: &ControllerState<K>,
    key: &ObjectRef<K>,
    error: &Error,
) -> Option<Action> {
    if error.downcast_ref::<Unfinished>().is_some() {
        state.failures.recovered(key);
        return Some(Action::await_change());
    }
    match error.downcast_ref::<Unwritten>()? {
        // If a new object has taken its place, the watch reports it.
        Unwritten::Gone => {
            state.failures.reset(key);
            Some(Action::await_change())
        }
        Unwritten::TooOften(wait) => {
            state.failures.recovered(key);
            Some(Action::requeue(*wait))
        }
        // Retried once; if another writer changes the field all the time, it becomes a failure.
        Unwritten::Clash(_) if state.failures.in_a_row(key) == 0 => {
            state.failures.add(key.clone(), &error.to_string());
            Some(Action::requeue(Duration::ZERO))
        }
        Unwritten::Clash(_) => None,
    }
}

/// Returns a requeue if the object changed during the reconcile in a way that the watch does not
/// report: the response to a status write contained the change and has updated the cache already.
fn at_once_if_overtaken<K: AnyObject>(
    object: &Arc<K>,
    state: &ControllerState<K>,
) -> Option<(Action, Cause)> {
    let main = &state.shared.main;
    let newest = main.newest(object)?;
    let overtaken = differ_vitally(&main.kind, object.as_ref(), newest.as_ref())
        || object::differ_besides_status(object.meta(), newest.meta())
            && (state.predicate)(object, &newest);
    overtaken.then_some((Action::requeue(Duration::ZERO), Cause::Changed))
}

/// Returns true for changes that lead to a reconcile whatever the predicate says.
pub(crate) fn differ_vitally<K: AnyObject>(kind: &K::DynamicType, before: &K, now: &K) -> bool {
    let (before, now) = (before.meta(), now.meta());
    object::differ_vitally(before, now) || pause::differs::<K>(kind, before, now)
}

/// Reads the objects that the object names for the first time, adds or removes the finalizer if
/// there is a cleanup, and calls the user's function.
async fn attempt<K: AnyObject>(
    work: &Work<K>,
    object: Arc<K>,
    context: Context<K>,
) -> Result<Action> {
    for read in &context.shared.references {
        read(context.clone()).await?;
    }
    let Some((name, cleanup)) = &work.cleanup else {
        return (work.reconcile)(object, context).await;
    };
    match finalizer::step(object.as_ref(), name) {
        FinalizerStep::Reconcile => return (work.reconcile)(object, context).await,
        FinalizerStep::Add(patch) => finalizer::change(&context, patch).await?,
        FinalizerStep::CleanUp(patch) => {
            if is_planted(Bug::EarlyFinalizerRemoval) {
                finalizer::change(&context, patch.clone()).await?;
            }
            cleanup(object, context.clone()).await?;
            finalizer::change(&context, patch).await?;
        }
        FinalizerStep::Leave => {}
    }
    Ok(Action::await_change())
}

/// Counts and reports a failure, and writes the status that reports it. Returns the requeue with
/// the backoff delay.
async fn retry_later<K: AnyObject>(
    work: &Work<K>,
    state: &ControllerState<K>,
    context: &Context<K>,
    key: ObjectRef<K>,
    error: &Error,
) -> Action {
    let text = shorten(&error.to_string(), LONGEST_MESSAGE);
    let (failures, is_new) = state.failures.add(key, &text);
    let delay = delay(work.backoff, error, failures);
    if error.is(Reason::NotLeader) {
        tracing::debug!("write skipped: this replica is no longer the leader");
        return Action::requeue(delay);
    }
    tracing::warn!(reason = error.reason(), failures, retry_in = ?delay, "reconcile failed: {text}");
    let is_reported = !error.is_transient() || failures >= REPORTED_FAILURES;
    let report_error = work.report_error.as_ref().filter(|_| is_reported);
    if let Some(report_error) = report_error {
        report_error(context, error.reason(), text.clone());
    } else if is_reported && is_new {
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
    tracing::warn!(error = %unwritten, "failed to write the status");
    // Possibly the status that the reconcile has set cannot be written. The error must be reported
    // nevertheless.
    if let Some(report_error) = report_error {
        report_error(context, error.reason(), text.clone());
        if context.write_draft(Pace::Any).await.is_err() && is_new {
            context.event(EventType::Warning, error.reason(), &text);
        }
    }
    Action::requeue(delay)
}

/// Returns the delay after this many `failures` in a row.
fn delay(mut backoff: Backoff, error: &Error, failures: u32) -> Duration {
    if error.is_transient() {
        backoff.longest = backoff.longest.min(OUTAGE);
    }
    backoff.delay(failures)
}

#[cfg(test)]
#[path = "reconcile_tests.rs"]
pub(crate) mod tests;
