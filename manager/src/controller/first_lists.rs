//! The initial lists of the kinds that a controller watches. Until all have arrived, `/readyz`
//! names those that are missing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::{
    FutureExt,
    future::{self, BoxFuture},
};
use parking_lot::Mutex;

use crate::{cache::watch_target::WatchTarget, http::health::Health};

/// The kinds of a controller whose initial list has not arrived yet. Clones share their state.
#[derive(Clone)]
pub(crate) struct InitialLists {
    controller: String,
    health: Health,
    /// The plural names of the kinds, by their position among the targets: several lists may have
    /// the same name, of two groups or with two selectors.
    missing: Arc<Mutex<BTreeMap<usize, String>>>,
}

impl InitialLists {
    /// Creates the lists of a controller that waits for all `targets`.
    pub fn new(controller: &str, health: &Health, targets: &[WatchTarget]) -> Self {
        let names = targets.iter().map(|target| target.kind.plural.clone());
        Self {
            controller: controller.to_owned(),
            health: health.clone(),
            missing: Arc::new(Mutex::new(names.enumerate().collect())),
        }
    }

    /// Reports the controller as not ready, with the kinds that are still missing. Does nothing if
    /// none is missing.
    pub fn report_missing(&self) {
        let names: BTreeSet<_> = self.missing.lock().values().cloned().collect();
        if !names.is_empty() {
            let names = Vec::from_iter(names).join(", ");
            let why = format!("waiting for the first list of {names}");
            self.health.not_ready(&self.controller, &why);
        }
    }

    /// Returns a future that completes when all futures in `lists` have, each of which completes
    /// when the initial list of the target at its position has arrived.
    pub fn wait_for(
        &self,
        lists: impl IntoIterator<Item = BoxFuture<'static, ()>>,
    ) -> BoxFuture<'static, ()> {
        let each = lists.into_iter().enumerate().map(|(position, list)| {
            let all = self.clone();
            list.map(move |()| all.has_arrived(position))
        });
        future::join_all(each).map(drop).boxed()
    }

    /// Removes a list from the missing ones, and reports those that remain.
    fn has_arrived(&self, position: usize) {
        self.missing.lock().remove(&position);
        self.report_missing();
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMap, Secret};

    use super::*;

    #[tokio::test]
    async fn missing_first_lists_are_named() {
        let health = Health::default();
        health.add_controller("me", "is starting");
        let kinds = [
            WatchTarget::of::<ConfigMap>(&(), &[]),
            WatchTarget::of::<Secret>(&(), &[]),
            // With another selector.
            WatchTarget::of::<ConfigMap>(&(), &[]),
        ];
        let lists = InitialLists::new("me", &health, &kinds);
        let said = || health.answer("/readyz").1;
        lists.report_missing();
        assert_eq!(
            said(),
            "me: waiting for the first list of configmaps, secrets\n"
        );
        let (come, comes) = tokio::sync::oneshot::channel::<()>();
        let mut all = lists.wait_for([
            future::ready(()).boxed(),
            future::ready(()).boxed(),
            comes.map(drop).boxed(),
        ]);
        assert!((&mut all).now_or_never().is_none());
        assert_eq!(said(), "me: waiting for the first list of configmaps\n");
        come.send(()).unwrap();
        all.await;
        health.ready("me");
        assert_eq!(said(), "ok\n");
    }
}
