//! `Context::set_status`: sets the status, which is written if it changed.
//!
//! Only the changes of the reconcile are written, merged into the current status. Each write
//! carries the version that it was computed for. If there is a newer version, the merge is
//! repeated. So no writer's changes are lost, and a new object of the same name never gets the
//! status of its predecessor.

pub(crate) mod merge;
pub(crate) mod transitions;

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, future::BoxFuture};
use kube::ResourceExt;
use kube::api::{Patch, PatchParams};
use kube::core::{ObjectMeta, object::HasStatus};
use kube::runtime::reflector::ObjectRef;
use parking_lot::MutexGuard;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::cache::undecoded::Undecoded;
use crate::context::{Context, Drafted, Pace, write_log::difference};
use crate::error::{Error, Result};
use crate::object::{self, AnyObject, KindOf};
use crate::rate_limits::RateLimits;
use crate::reason::Reason;
use crate::status::{
    merge::Clash,
    transitions::{stamp, transitions},
};

/// This many status writes of one object may be sent at once, then one per interval.
const BURST: u32 = 25;
const EVERY: Duration = Duration::from_secs(1);
/// Maximum number of attempts if other writers change the object in the meantime.
const ATTEMPTS: u32 = 5;

/// Creates the rate limit of status writes per object.
pub(crate) fn limits<K: AnyObject>() -> RateLimits<ObjectRef<K>> {
    RateLimits::new(BURST, EVERY)
}

/// The reason why a status was not written, although no request failed. The reconcile is repeated,
/// and only a clash that persists counts as a failure.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unwritten {
    #[error("the object was deleted or replaced")]
    Gone,
    /// The path of the field, as in [`Clash`].
    #[error("another client changed `{0}` in the meantime")]
    Clash(String),
    /// The time until the rate limit allows the next write.
    #[error("the status was written too often; the next write is allowed in {0:?}")]
    TooOften(Duration),
}

impl Unwritten {
    /// Returns the error of a reconcile with this as its source.
    fn error(self) -> Error {
        Error::from(self).with_reason("Conflict")
    }
}

/// A status that a reconcile has set and that is not written yet.
struct DraftedStatus<K: HasStatus> {
    /// The object on which the status is based.
    seen: Arc<K>,
    status: K::Status,
    /// True if the summary condition reports an error.
    failed: bool,
}

impl<K> Drafted<K> for DraftedStatus<K>
where
    K: AnyObject + HasStatus<Status: Clone + Default + Serialize + Send + 'static>,
{
    fn write(self: Box<Self>, context: &Context<K>, pace: Pace) -> BoxFuture<'_, Result<()>> {
        context.write_status(*self, pace).boxed()
    }
}

impl<K: AnyObject> Context<K> {
    /// Writes the drafted status, if there is one. See [`Drafted::write`] for the errors.
    pub(crate) async fn write_draft(&self, pace: Pace) -> Result<()> {
        let drafted = self.draft().take();
        match drafted {
            Some(drafted) => drafted.write(self, pace).await,
            None => Ok(()),
        }
    }

    fn draft(&self) -> MutexGuard<'_, Option<Box<dyn Drafted<K>>>> {
        self.draft.lock()
    }
}

impl<K> Context<K>
where
    K: AnyObject + HasStatus<Status: Clone + Default + Serialize + Send + 'static>,
{
    /// Changes the status of the object. `change` receives the newest known status, or the one set
    /// earlier in this reconcile. The status is written after the reconcile has returned, also if
    /// it failed, and only if it differs. Call this in every reconcile.
    ///
    /// A status that is being written does not count for
    /// [`Controller::concurrency`](crate::Controller::concurrency), so the next object can be
    /// reconciled meanwhile. If the status cannot be written, the reconcile has failed.
    ///
    /// Only the fields that `change` changed are written, so several controllers and people can
    /// each maintain a part of one status. Lists are replaced as a whole, except `conditions`,
    /// which are merged by their `type`. If another writer has changed the same field, condition or
    /// list in the meantime, the status is not written, and the object is reconciled again at once
    /// with the newest status. The status is also not written if the object was deleted, or
    /// replaced by another one of the same name.
    ///
    /// Conditions without `observedGeneration` get the generation that this reconcile saw. An event
    /// is published when a condition changes its status or its reason: a warning if the condition
    /// starts to report a problem, else a normal event. A condition such as `Ready` reports a
    /// problem with `False`, one such as `Degraded` with `True` (see
    /// [`Controller::negative_conditions`](crate::Controller::negative_conditions)), and
    /// `Progressing` never does.
    ///
    /// Status writes are rate-limited per object: 25 at once, then one per second.
    ///
    /// Needs `patch` on the kind's `/status`.
    ///
    /// ```no_run
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
    /// # use kube::core::object::HasStatus;
    /// # #[derive(Clone, Default, serde::Serialize)]
    /// # struct LolcowStatus { observed_generation: Option<i64>, conditions: Vec<Condition> }
    /// # fn example<Lolcow>(lolcow: Lolcow, ctx: rustop_manager::Context<Lolcow>)
    /// # where Lolcow: rustop_manager::Object + HasStatus<Status = LolcowStatus> {
    /// use rustop_manager::{Conditions as _, condition};
    ///
    /// let ready = condition::true_because("Ready", "Serving", "the greeting is served");
    /// ctx.set_status(|status| {
    ///     status.observed_generation = lolcow.meta().generation;
    ///     status.conditions.set(ready);
    /// });
    /// # }
    /// ```
    pub fn set_status(&self, change: impl FnOnce(&mut K::Status)) {
        self.draft_status(|drafted| change(&mut drafted.status));
    }

    /// Like [`Context::set_status`], but writes the status now, for a status that must be stored
    /// before the next step. `Ok` means that it is stored in this object.
    ///
    /// ```no_run
    /// # use kube::core::object::HasStatus;
    /// # #[derive(Clone, Default, serde::Serialize)]
    /// # struct LolcowStatus { token: Option<String> }
    /// # async fn order(_: &str) -> rustop_manager::Result<()> { Ok(()) }
    /// # async fn example<Lolcow>(ctx: rustop_manager::Context<Lolcow>) -> rustop_manager::Result<()>
    /// # where Lolcow: rustop_manager::Object + HasStatus<Status = LolcowStatus> {
    /// // stored before the order, so that a restart does not order twice
    /// let token = format!("order-{}", ctx.random());
    /// ctx.update_status(|status| status.token = Some(token.clone())).await?;
    /// order(&token).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns `Conflict` if another writer has changed the same field in the meantime, or if the
    /// object is gone: return that error with `?`, and if the object still exists, it is reconciled
    /// again at once. Returns the API server's error if it rejects the request or is unreachable.
    pub async fn update_status(&self, change: impl FnOnce(&mut K::Status) + Send) -> Result<()> {
        self.set_status(change);
        self.write_draft(Pace::Any).await
    }

    /// Like [`Context::set_status`], for an error: the event about the summary condition is a
    /// warning.
    pub(crate) fn set_failed(&self, change: impl FnOnce(&mut K::Status)) {
        self.draft_status(|drafted| {
            change(&mut drafted.status);
            drafted.failed = true;
        });
    }

    /// Changes the drafted status. The first call creates it from the newest known status.
    fn draft_status(&self, change: impl FnOnce(&mut DraftedStatus<K>)) {
        // The lock is not held while `change` runs, which is user code.
        let drafted = self.draft().take();
        let drafted = drafted.and_then(|drafted| (drafted as Box<dyn Any>).downcast().ok());
        let mut drafted: Box<DraftedStatus<K>> = drafted.unwrap_or_else(|| {
            let seen = self.newest().unwrap_or_else(|| self.object.clone());
            Box::new(DraftedStatus {
                status: seen.status().cloned().unwrap_or_default(),
                seen,
                failed: false,
            })
        });
        change(&mut drafted);
        *self.draft() = Some(drafted);
    }

    /// Merges a drafted status into the current one, and writes the difference. If the object has
    /// changed in the meantime, repeats both with its newest version.
    async fn write_status(&self, drafted: DraftedStatus<K>, pace: Pace) -> Result<()> {
        let before = view(drafted.seen.as_ref())?;
        let mut after = merge::without_nulls(serde_json::to_value(drafted.status)?);
        stamp(&before, &mut after, self.object.meta().generation);
        let _guard = self.shared.main.status_mutex.lock(self.object_ref()).await;
        let mut live = self.newest().ok_or_else(|| Unwritten::Gone.error())?;
        let mut attempt = 0;
        loop {
            let now = if is_same_version(live.meta(), drafted.seen.meta()) {
                before.clone()
            } else {
                view(live.as_ref())?
            };
            let merged = merge::merged(&before, &after, &now)
                .map_err(|Clash(path)| Unwritten::Clash(path).error())?;
            // Without a status, a patch of single fields could lack required ones.
            let patch = match live.status() {
                Some(_) => merge::patch(&now, &merged),
                None => merged.clone(),
            };
            if patch == json!({}) {
                return Ok(());
            }
            if pace == Pace::Limited && attempt == 0 {
                let limits = &self.shared.status_limits;
                limits
                    .take(self.object_ref(), Instant::now())
                    .map_err(|wait| Unwritten::TooOften(wait).error())?;
            }
            attempt += 1;
            match self.patch_status(&live, patch).await {
                Ok(()) => {
                    if !self.run.causes.are_outside() {
                        let difference = difference(&now, &merged);
                        let writes = &self.run.writes;
                        writes.wrote(&difference, "the status", difference.clone());
                    }
                    self.tell(&now, &merged, drafted.failed);
                    return Ok(());
                }
                Err(error) if attempt < ATTEMPTS && is_conflict(&error) => {
                    live = self.newer_than(&live).await?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Writes `patch` if the object is still in the version of `live`.
    async fn patch_status(&self, live: &K, patch: Value) -> Result<()> {
        let meta = live.meta();
        // The version also protects a new object of the same name: custom resources do not check
        // the uid.
        let patch = json!({
            "metadata": { "uid": meta.uid, "resourceVersion": meta.resource_version },
            "status": patch,
        });
        let manager = &self.shared.field_manager;
        let params = PatchParams {
            field_manager: Some(manager.clone()),
            ..PatchParams::default()
        };
        let write = self.shared.main.write(self.object_ref(), manager);
        let patched = self
            .own_api()
            .patch_status(
                &live.name_any(),
                &params.validation_ignore(),
                &Patch::Merge(&patch),
            )
            .await
            .map_err(|error| {
                Error::from(error).of_request("update the status of", &K::kind(self.kind()), meta)
            })?;
        let patched = write.answer(patched).fits(self.kind())?;
        write.done(patched);
        Ok(())
    }

    /// Returns a newer version of the object, from the cache if it has one.
    async fn newer_than(&self, stale: &K) -> Result<Arc<K>> {
        let known = self.newest().ok_or_else(|| Unwritten::Gone.error())?;
        if object::version(known.meta()) > object::version(stale.meta()) {
            return Ok(known);
        }
        // This read is not one of the controller's own writes, so a change that it finds is
        // reported to all watchers of the cache.
        let look = self.shared.main.write(self.object_ref(), "");
        let Some(found) = self.own_api().get_opt(&stale.name_any()).await? else {
            return Err(Unwritten::Gone.error());
        };
        look.done(found.fits(self.kind())?);
        self.newest().ok_or_else(|| Unwritten::Gone.error())
    }

    /// Publishes events about the changes of conditions; see [`transitions()`].
    fn tell(&self, before: &Value, after: &Value, failed: bool) {
        for event in transitions(before, after, failed, &self.shared.condition_events) {
            self.event(event.type_, &event.reason, &event.note);
        }
    }

    /// Returns the API of the object's kind in its namespace.
    fn own_api(&self) -> kube::Api<Undecoded<K>> {
        let namespace = self.object.meta().namespace.as_deref();
        self.kind().api(self.client().clone(), namespace)
    }
}

/// Returns true if both are the same version of an object. Their statuses may differ as JSON: a
/// type may serialize a set in another order each time.
fn is_same_version(one: &ObjectMeta, other: &ObjectMeta) -> bool {
    one.resource_version.is_some() && one.resource_version == other.resource_version
}

/// Returns the status as its type represents it.
fn view<K: HasStatus<Status: Clone + Default + Serialize>>(object: &K) -> Result<Value> {
    let value = match object.status() {
        Some(status) => serde_json::to_value(status)?,
        None => serde_json::to_value(K::Status::default())?,
    };
    Ok(merge::without_nulls(value))
}

/// Returns true if the API server rejected a write because the object has another version by now.
/// An [`Unwritten`] has the reason `Conflict`, too.
fn is_conflict(error: &Error) -> bool {
    error.is(Reason::Conflict) && error.downcast_ref::<kube::Error>().is_some()
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
