//! The initial lists that a controller waits for, by kind, for `/readyz`.

use std::sync::Arc;

use futures::{
    FutureExt,
    future::{self, BoxFuture},
};
use parking_lot::{Mutex, MutexGuard};

use crate::{cache::watch_target::WatchTarget, http::health::Health};

/// The kinds whose initial list has not arrived yet.
#[derive(Clone)]
pub(crate) struct Lists {
    controller: String,
    health: Health,
    missing: Arc<Mutex<Vec<String>>>,
}

impl Lists {
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

    /// Reports the kinds that are still missing as the reason why the controller is not ready.
    pub fn tell(&self) {
        let missing = self.missing();
        if !missing.is_empty() {
            let why = format!("waiting for the first list of {}", missing.join(", "));
            self.health.not_ready(&self.controller, &why);
        }
    }

    /// Returns a future that completes when all `lists` have completed, each the initial list of its kind.
    pub fn come(
        &self,
        lists: impl IntoIterator<Item = (WatchTarget, BoxFuture<'static, ()>)>,
    ) -> BoxFuture<'static, ()> {
        let each = lists.into_iter().map(|(kind, list)| {
            let all = self.clone();
            list.map(move |()| all.has(&kind))
        });
        future::join_all(each).map(drop).boxed()
    }

    fn has(&self, target: &WatchTarget) {
        self.missing().retain(|name| *name != target.kind.plural);
        self.tell();
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
        let lists = Lists::new("me", &health, &kinds);
        let said = || health.answer("/readyz").1;
        lists.tell();
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
        let mut both = lists.come(both);
        assert!((&mut both).now_or_never().is_none());
        assert_eq!(said(), "me: waiting for the first list of secrets\n");
        come.send(()).unwrap();
        both.await;
        health.ready("me");
        assert_eq!(said(), "ok\n");
    }
}
