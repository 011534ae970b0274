//! The initial lists of the kinds that a controller watches. Until all have arrived, `/readyz`
//! names those that are missing.

use std::sync::Arc;

use futures::{
    FutureExt,
    future::{self, BoxFuture},
};
use parking_lot::{Mutex, MutexGuard};

use crate::{cache::watch_target::WatchTarget, http::health::Health};

/// The kinds of a controller whose initial list has not arrived yet. Clones share their state.
#[derive(Clone)]
pub(crate) struct InitialLists {
    controller: String,
    health: Health,
    /// The plural names of the kinds, sorted.
    missing: Arc<Mutex<Vec<String>>>,
}

impl InitialLists {
    /// Creates the lists of a controller that waits for all `targets`.
    pub fn new(controller: &str, health: &Health, targets: &[WatchTarget]) -> Self {
        let mut names: Vec<String> = targets
            .iter()
            .map(|target| target.kind.plural.clone())
            .collect();
        names.sort();
        names.dedup();
        Self {
            controller: controller.to_owned(),
            health: health.clone(),
            missing: Arc::new(Mutex::new(names)),
        }
    }

    /// Reports the controller as not ready, with the kinds that are still missing. Does nothing if
    /// none is missing.
    pub fn report_missing(&self) {
        let missing = self.missing();
        if !missing.is_empty() {
            let why = format!("waiting for the first list of {}", missing.join(", "));
            self.health.not_ready(&self.controller, &why);
        }
    }

    /// Returns a future that completes when all futures in `lists` have, each of which completes
    /// when the initial list of its kind has arrived.
    pub fn wait_for(
        &self,
        lists: impl IntoIterator<Item = (WatchTarget, BoxFuture<'static, ()>)>,
    ) -> BoxFuture<'static, ()> {
        let each = lists.into_iter().map(|(kind, list)| {
            let all = self.clone();
            list.map(move |()| all.has_arrived(&kind))
        });
        future::join_all(each).map(drop).boxed()
    }

    /// Removes a kind from the missing ones, and reports those that remain.
    fn has_arrived(&self, target: &WatchTarget) {
        self.missing().retain(|name| *name != target.kind.plural);
        self.report_missing();
    }

    fn missing(&self) -> MutexGuard<'_, Vec<String>> {
        self.missing.lock()
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMap, Secret};

    use super::*;

    #[tokio::test]
    async fn missing_first_lists_are_named() {
        let health = Health::default();
        health.begins("me", "is starting");
        let kinds = [
            WatchTarget::of::<ConfigMap>(&(), &[]),
            WatchTarget::of::<Secret>(&(), &[]),
        ];
        let lists = InitialLists::new("me", &health, &kinds);
        let said = || health.answer("/readyz").1;
        lists.report_missing();
        assert_eq!(
            said(),
            "me: waiting for the first list of configmaps, secrets\n"
        );
        let [maps, secrets] = kinds;
        let (come, comes) = tokio::sync::oneshot::channel::<()>();
        let both = [
            (maps, future::ready(()).boxed()),
            (secrets, comes.map(drop).boxed()),
        ];
        let mut both = lists.wait_for(both);
        assert!((&mut both).now_or_never().is_none());
        assert_eq!(said(), "me: waiting for the first list of secrets\n");
        come.send(()).unwrap();
        both.await;
        health.ready("me");
        assert_eq!(said(), "ok\n");
    }
}
