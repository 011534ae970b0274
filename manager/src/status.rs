//! `Context::set_status`: the status as the reconcile sees it, written when it changed.

use std::{
    any::Any,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures::{FutureExt, future::BoxFuture};
use kube::{
    ResourceExt,
    api::Patch,
    core::object::HasStatus,
    runtime::{events::EventType, reflector::ObjectRef},
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    apply,
    condition::READY,
    context::Context,
    error::Result,
    guard::Guard,
    object::{Object, Scope},
};

/// The status that a reconcile has set and nobody has written yet.
pub(crate) type Draft<K> = Arc<Mutex<Option<Box<dyn Drafted<K>>>>>;

/// A status, for those who do not know whether the kind has one.
pub(crate) trait Drafted<K: Object>: Any + Send {
    fn write(self: Box<Self>, context: &Context<K>) -> BoxFuture<'_, Result<()>>;
}

struct DraftedStatus<S> {
    status: S,
    /// The condition `Ready` tells of an error.
    failed: bool,
}

impl<K, S> Drafted<K> for DraftedStatus<S>
where
    K: Object + HasStatus<Status = S>,
    S: Clone + Default + Serialize + Send + 'static,
{
    fn write(self: Box<Self>, context: &Context<K>) -> BoxFuture<'_, Result<()>> {
        context.write_status(*self).boxed()
    }
}

impl<K: Object> Context<K> {
    /// Writes the status that was set, if one was.
    pub(crate) async fn write_draft(&self) -> Result<()> {
        let drafted = self.draft().take();
        match drafted {
            Some(drafted) => drafted.write(self).await,
            None => Ok(()),
        }
    }

    fn draft(&self) -> MutexGuard<'_, Option<Box<dyn Drafted<K>>>> {
        self.draft.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K> Context<K>
where
    K: Object + HasStatus<Status: Clone + Default + Serialize + Send + 'static>,
{
    /// Lets `change` edit what the status is to be, starting from the newest known one. It is written once the
    /// reconcile has returned, whether it worked or failed, by server-side apply and only if it differs. Call it in
    /// every reconcile.
    ///
    /// Meanwhile the next object has its turn: a status that is being written does not count for
    /// [`Controller::concurrency`](crate::Controller::concurrency). Where it cannot be written, the reconcile has
    /// failed.
    ///
    /// Conditions that were set without `observedGeneration` get the generation that this reconcile
    /// saw. When a condition changed its status or its reason, an event says so: a warning if the
    /// condition was met and no longer is, otherwise a normal one.
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

    /// [`Context::set_status`], and writes it now: for what must be on record before the next step.
    ///
    /// # Errors
    /// When the API server refuses it or cannot be reached.
    pub async fn update_status(&self, change: impl FnOnce(&mut K::Status) + Send) -> Result<()> {
        self.set_status(change);
        self.write_draft().await
    }

    /// [`Context::set_status`] for an error: the event about the condition `Ready` is a warning.
    pub(crate) fn set_failed(&self, change: impl FnOnce(&mut K::Status)) {
        self.draft_status(|drafted| {
            change(&mut drafted.status);
            drafted.failed = true;
        });
    }

    fn draft_status(&self, change: impl FnOnce(&mut DraftedStatus<K::Status>)) {
        // Not locked while `change` runs, which is the user's.
        let drafted = self.draft().take();
        let drafted = drafted.and_then(|drafted| (drafted as Box<dyn Any>).downcast().ok());
        let mut drafted: Box<DraftedStatus<K::Status>> = drafted.unwrap_or_else(|| {
            let status = self.newest().status().cloned().unwrap_or_default();
            Box::new(DraftedStatus {
                status,
                failed: false,
            })
        });
        change(&mut drafted);
        *self.draft() = Some(drafted);
    }

    async fn write_status(&self, drafted: DraftedStatus<K::Status>) -> Result<()> {
        let before = match self.newest().status() {
            Some(status) => without_nulls(serde_json::to_value(status)?),
            None => json!({}),
        };
        let mut after = without_nulls(serde_json::to_value(drafted.status)?);
        stamp(&mut after, self.object.meta().generation);
        if before == after {
            return Ok(());
        }

        let patch = json!({
            "apiVersion": K::api_version(&()),
            "kind": K::kind(&()),
            // the uid, so that an object which was deleted and made anew is not taken for this one
            "metadata": { "uid": self.object.meta().uid },
            "status": &after,
        });
        let api = K::Scope::api::<Guard<K>>(
            self.client().clone(),
            self.object.meta().namespace.as_deref(),
        );
        let params = apply::params(&self.shared.field_manager);
        let key = ObjectRef::from_obj(self.object.as_ref());
        let write = self.shared.main.write(key, &self.shared.field_manager);
        let live = api
            .patch_status(&self.object.name_any(), &params, &Patch::Apply(&patch))
            .await?;
        write.done(live.fits()?);
        for event in transitions(&before, &after, drafted.failed) {
            self.shared.events.publish(
                self.object.object_ref(&()),
                event.type_,
                &event.reason,
                &event.note,
            );
        }
        Ok(())
    }

    fn newest(&self) -> Arc<K> {
        let key = ObjectRef::from_obj(self.object.as_ref());
        let cached = self.shared.main.get(&key);
        cached
            .filter(|cached| cached.meta().uid == self.object.meta().uid)
            .unwrap_or_else(|| self.object.clone())
    }
}

/// In a status `null` says no more than an absent field.
fn without_nulls(mut value: Value) -> Value {
    if let Some(map) = value.as_object_mut() {
        map.retain(|_, value| !value.is_null());
    }
    value
}

fn conditions(status: &Value) -> impl Iterator<Item = &Value> {
    status
        .get("conditions")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// Conditions say which generation they are about.
fn stamp(status: &mut Value, generation: Option<i64>) {
    let (Some(generation), Some(Value::Array(conditions))) =
        (generation, status.get_mut("conditions"))
    else {
        return;
    };
    for condition in conditions.iter_mut().filter_map(Value::as_object_mut) {
        condition
            .entry("observedGeneration")
            .or_insert_with(|| generation.into());
    }
}

#[derive(Debug, PartialEq)]
struct Transition {
    type_: EventType,
    reason: String,
    note: String,
}

/// What changed between two statuses that is worth an event. With `failed` the condition `Ready` tells of an error.
fn transitions(before: &Value, after: &Value, failed: bool) -> Vec<Transition> {
    let text =
        |condition: &Value, field: &str| condition[field].as_str().unwrap_or_default().to_owned();
    let changed = |condition: &Value| {
        let old = conditions(before).find(|old| old["type"] == condition["type"]);
        let same = old.is_some_and(|old| {
            old["status"] == condition["status"] && old["reason"] == condition["reason"]
        });
        let lost = old.is_some_and(|old| old["status"] == "True") && condition["status"] != "True";
        let failed = failed && condition["type"] == READY;
        (!same).then(|| Transition {
            type_: if lost || failed {
                EventType::Warning
            } else {
                EventType::Normal
            },
            reason: text(condition, "reason"),
            note: format!(
                "{} is {}: {}",
                text(condition, "type"),
                text(condition, "status"),
                text(condition, "message")
            ),
        })
    };
    conditions(after).filter_map(changed).collect()
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
