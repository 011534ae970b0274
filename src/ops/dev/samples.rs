//! The part of `rustop dev` that applies the samples.

use std::time::{Duration, Instant};

use kube::api::DynamicObject;

use super::context::{DevContext, TICK};
use crate::dev::{self, Operator, Samples};
use crate::ops::Result;

/// The time for which a request is retried while the operator's webhooks are not available.
const SERVED_WITHIN: Duration = Duration::from_secs(30);

/// Applies the samples, and returns those whose kinds have a controller. Requests are retried while
/// the operator's webhooks are not available. With `--once` on a local cluster that was already
/// running, deletes the samples first, so that their state from an earlier run does not affect the
/// verdict.
///
/// # Errors
/// Returns an error if the samples cannot be read, if the API server rejects one, if a sample is
/// still being deleted after the timeout, or, while waiting for that, if the operator exits or the
/// user interrupts rustop.
pub fn apply(context: &DevContext<'_>, operator: &mut Operator) -> Result<Samples> {
    let (subject, target) = (context.subject, context.target);
    let objects = subject.samples(context.session, &target.kubectl, context.deployed)?;
    if objects.is_empty() {
        return Ok(Samples::default());
    }
    if context.dev.once && target.cluster.is_some() && !target.started {
        let delete = || dev::delete(context.client, &objects);
        patiently(|| context.runtime.block_on(delete()))?;
    }
    until_none_is_leaving(context, operator, &objects)?;
    let readiness_source =
        |sample: &DynamicObject| subject.readiness_source(sample, &context.deployed.objects);
    let apply = || Samples::apply(context.client, objects.clone(), readiness_source);
    let applied = patiently(|| context.runtime.block_on(apply()));
    // Names the file of the sample that the API server has rejected.
    Ok(applied.map_err(|error| subject.located(context.session, error))?)
}

/// Waits until none of the objects is being deleted: what is applied to a terminating object is
/// deleted with it.
fn until_none_is_leaving(
    context: &DevContext<'_>,
    operator: &mut Operator,
    objects: &[DynamicObject],
) -> Result<()> {
    let deadline = Instant::now() + context.dev.timeout;
    let mut reported = Vec::new();
    loop {
        let leaving = patiently(|| {
            context
                .runtime
                .block_on(dev::terminating(context.client, objects))
        })?;
        if leaving.is_empty() {
            return Ok(());
        }
        if leaving != reported {
            for line in &leaving {
                context.session.terminal.status("Waiting", line);
            }
            reported.clone_from(&leaving);
        }
        context.session.interrupt().check()?;
        if let Some(status) = operator.ended() {
            return Err(dev::Error::OperatorEnded { status }.into());
        }
        if Instant::now() > deadline {
            return Err(dev::Error::NotReady {
                missing: leaving,
                timeout: context.dev.timeout,
            }
            .into());
        }
        std::thread::sleep(TICK);
    }
}

/// Retries a request while it fails because the operator's webhooks are not available yet.
fn patiently<T, F>(mut ask: F) -> std::result::Result<T, dev::Error>
where
    F: FnMut() -> std::result::Result<T, dev::Error>,
{
    let deadline = Instant::now() + SERVED_WITHIN;
    loop {
        match ask() {
            Err(error) if dev::is_not_served_yet(&error) && Instant::now() < deadline => {
                std::thread::sleep(TICK);
            }
            done => return done,
        }
    }
}
