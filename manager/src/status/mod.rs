//! `Context::set_status`: the status as the reconcile sees it, written when it changed.
//!
//! Only what the reconcile changed is written, put onto what is there now, and only if that is still so: each
//! write names the version that it was made for. Where there is a newer one, it is looked at and the write is made
//! anew. So nobody's work is lost, and an object that was deleted and made again is never taken for the old one.

pub(crate) mod merge;
pub(crate) mod transitions;

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::{FutureExt, future::BoxFuture};
use kube::ResourceExt;
use kube::api::{Patch, PatchParams};
use kube::core::{ObjectMeta, object::HasStatus};
use kube::runtime::reflector::ObjectRef;
use parking_lot::MutexGuard;
use serde::Serialize;
use serde_json::{Value, json};

use crate::cache::undecoded::Undecoded;
use crate::context::{Context, Drafted, Pace, steps::difference};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::object::{self, AnyObject, KindOf};
use crate::status::{
    merge::Clash,
    transitions::{stamp, transitions},
};

/// So many writes of one status pass at once, and then one in this time.
const BURST: u32 = 25;
const EVERY: Duration = Duration::from_secs(1);
/// So often a status is put onto what somebody else made of it meanwhile.
const ATTEMPTS: u32 = 5;

/// How often the controllers of a kind may write the status of each object.
pub(crate) fn limits<K: AnyObject>() -> Limits<ObjectRef<K>> {
    Limits::new(BURST, EVERY)
}

/// Why a status was not written, though nothing is wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unwritten {
    #[error("it is gone, or another object has its name by now")]
    Gone,
    #[error("somebody else changed `{0}` meanwhile")]
    Clash(String),
    #[error("its status was written too often, and can be written again in {0:?}")]
    TooOften(Duration),
}

impl Unwritten {
    fn error(self) -> Error {
        Error::from(self).with_reason("Conflict")
    }
}

struct DraftedStatus<K: HasStatus> {
    /// What the reconcile saw.
    seen: Arc<K>,
    status: K::Status,
    /// The condition `Ready` tells of an error.
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
    /// Writes the status that was set, if one was.
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
    /// Lets `change` edit what the status is to be, starting from the newest known one. It is written once the
    /// reconcile has returned, whether it worked or failed, and only if it differs. Call it in every reconcile.
    ///
    /// Meanwhile the next object has its turn: a status that is being written does not count for
    /// [`Controller::concurrency`](crate::Controller::concurrency). Where it cannot be written, the reconcile has
    /// failed.
    ///
    /// Only the fields that `change` makes differ are written; all others stay what they are by then, whoever
    /// wrote them. So several controllers and people can each have their part of one status. Of lists only
    /// `conditions` are taken apart, by their `type`; any other list is one value, and whoever changes it writes all
    /// of it. Where somebody else has changed the same field, condition or list since, nothing is written: the
    /// object is reconciled again at once, with the newest status. An object that was deleted since, or made
    /// again under its name, gets nothing.
    ///
    /// Conditions that were set without `observedGeneration` get the generation that this reconcile
    /// saw. When a condition changed its status or its reason, an event says so: a warning if it reports a problem that
    /// it did not report before, otherwise a normal one. By `False` a condition such as `Ready` reports a problem, by
    /// `True` one such as `Degraded` (see
    /// [`Controller::negative_conditions`](crate::Controller::negative_conditions)), and `Progressing` never does.
    ///
    /// A status that changes all the time is written 25 times at once and then every second.
    ///
    /// Needs `patch` on the kind's `/status`.
    ///
    /// ```no_run
    /// # use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
    /// # use kube::core::object::HasStatus;
    /// # #[derive(Clone, Default, serde::Serialize)]
    /// # struct LolcowStatus { observed_generation: Option<i64>, conditions: Vec<Condition> }
    /// # fn example<Lolcow>(lolcow: Lolcow, ctx: manager::Context<Lolcow>)
    /// # where Lolcow: manager::Object + HasStatus<Status = LolcowStatus> {
    /// use manager::{Conditions as _, condition};
    ///
    /// let ready = condition::met("Ready", "Serving", "the greeting is on show");
    /// ctx.set_status(|status| {
    ///     status.observed_generation = lolcow.meta().generation;
    ///     status.conditions.set(ready);
    /// });
    /// # }
    /// ```
    pub fn set_status(&self, change: impl FnOnce(&mut K::Status)) {
        self.draft_status(|drafted| change(&mut drafted.status));
    }

    /// [`Context::set_status`], and writes it now: for what must be on record before the next step. When it
    /// returns `Ok`, it is there, in this object.
    ///
    /// # Errors
    /// When the API server refuses it or cannot be reached. Also, as a `Conflict`, when somebody else has changed the
    /// same field since, or the object is gone: pass that on with `?`, and if the object is still there, it is
    /// reconciled again at once.
    pub async fn update_status(&self, change: impl FnOnce(&mut K::Status) + Send) -> Result<()> {
        self.set_status(change);
        self.write_draft(Pace::Any).await
    }

    /// [`Context::set_status`] for an error: the event about the condition `Ready` is a warning.
    pub(crate) fn set_failed(&self, change: impl FnOnce(&mut K::Status)) {
        self.draft_status(|drafted| {
            change(&mut drafted.status);
            drafted.failed = true;
        });
    }

    fn draft_status(&self, change: impl FnOnce(&mut DraftedStatus<K>)) {
        // Not locked while `change` runs, which is the user's.
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

    async fn write_status(&self, drafted: DraftedStatus<K>, pace: Pace) -> Result<()> {
        let before = view(drafted.seen.as_ref())?;
        let mut after = merge::without_nulls(serde_json::to_value(drafted.status)?);
        stamp(&before, &mut after, self.object.meta().generation);
        let _turn = self.shared.main.status_turns.take(self.object_ref()).await;
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
                        let steps = &self.run.steps;
                        steps.wrote(&difference, "the status", difference.clone());
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

    /// Writes `patch` if the object is still what it is in `live`.
    async fn patch_status(&self, live: &K, patch: Value) -> Result<()> {
        let meta = live.meta();
        // The version is what tells an object from its successor, too: custom resources know no better.
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
            .await?;
        let patched = write.answer(patched).fits(self.kind())?;
        write.done(patched);
        Ok(())
    }

    /// What the object has become, from the cache if it knows already.
    async fn newer_than(&self, stale: &K) -> Result<Arc<K>> {
        let known = self.newest().ok_or_else(|| Unwritten::Gone.error())?;
        if object::version(known.meta()) > object::version(stale.meta()) {
            return Ok(known);
        }
        // nobody's own work, so that everybody hears of it
        let look = self.shared.main.write(self.object_ref(), "");
        let Some(found) = self.own_api().get_opt(&stale.name_any()).await? else {
            return Err(Unwritten::Gone.error());
        };
        look.done(found.fits(self.kind())?);
        self.newest().ok_or_else(|| Unwritten::Gone.error())
    }

    fn tell(&self, before: &Value, after: &Value, failed: bool) {
        for event in transitions(before, after, failed, &self.shared.condition_events) {
            self.event(event.type_, &event.reason, &event.note);
        }
    }

    fn own_api(&self) -> kube::Api<Undecoded<K>> {
        let namespace = self.object.meta().namespace.as_deref();
        self.kind().api(self.client().clone(), namespace)
    }
}

/// True when both are one version of an object. A type that writes a set in another order each time makes two
/// statuses of it.
fn is_same_version(one: &ObjectMeta, other: &ObjectMeta) -> bool {
    one.resource_version.is_some() && one.resource_version == other.resource_version
}

/// The status as its type sees it.
fn view<K: HasStatus<Status: Clone + Default + Serialize>>(object: &K) -> Result<Value> {
    let value = match object.status() {
        Some(status) => serde_json::to_value(status)?,
        None => serde_json::to_value(K::Status::default())?,
    };
    Ok(merge::without_nulls(value))
}

fn is_conflict(error: &Error) -> bool {
    error.reason() == "Conflict" && error.downcast_ref::<kube::Error>().is_some()
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
