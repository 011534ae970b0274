//! The health of a controller's watches. A problem is reported in the log and on `/readyz` when it
//! starts, changes, or ends.
//!
//! A problem ends when the API server accepts the next watch request. Waiting for an event instead
//! would not work, because a cluster without changes has none. After a silence, an accepted request
//! is not enough: `reflector.rs` then requires a sign of life.

use std::sync::Arc;

use kube::Client;
use parking_lot::Mutex;

use crate::cache::change;
use crate::cache::interruption::{Interruption, Interruptions};
use crate::cache::watch_target::WatchTarget;
use crate::http::health::Health;
use crate::object::{self, AnyObject};

/// The health of one controller's watches.
#[derive(Clone)]
pub(crate) struct WatchHealth {
    controller: String,
    health: Health,
    interruptions: Interruptions,
    /// The problems that `report_start` reported last.
    last: Arc<Mutex<Vec<String>>>,
}

/// A watch to open, with the reporter of its problems.
pub(crate) struct WatchToOpen {
    /// The namespace; `None` for a cluster-wide watch.
    pub scope: change::WatchScope,
    pub client: Client,
    /// Maximum number of objects per page of a list.
    pub page: u32,
    pub problem: WatchProblem,
}

impl WatchHealth {
    /// Creates the health of the watches of a controller, which has no problem yet.
    pub fn new(controller: &str, health: Health, interruptions: Interruptions) -> Self {
        Self {
            controller: controller.to_owned(),
            health,
            interruptions,
            last: Arc::default(),
        }
    }

    /// Reports the problems that keep the controller from starting. An empty list means that it can
    /// start.
    pub fn report_start(&self, problems: &[String]) {
        let mut last = self.last.lock();
        for problem in problems.iter().filter(|problem| !last.contains(problem)) {
            tracing::error!(controller = self.controller, "cannot start yet: {problem}");
        }
        if problems.is_empty() && !last.is_empty() {
            tracing::info!(controller = self.controller, "the controller can start now");
        }
        if !problems.is_empty() {
            self.health
                .not_ready(&self.controller, &problems.join("; "));
        }
        problems.clone_into(&mut last);
    }

    /// Returns the watches that cover every object of `K` in `namespaces`: one per namespace, or a
    /// single cluster-wide one if `namespaces` is empty or the kind is cluster-scoped.
    pub fn watches<K: AnyObject>(
        &self,
        client: &Client,
        kind: &K::DynamicType,
        namespaces: &[String],
        page: u32,
    ) -> Vec<WatchToOpen> {
        let target = WatchTarget::of::<K>(kind, namespaces);
        let watch = |namespace: Option<&str>| {
            let place = namespace.map(|name| format!(" in {name}"));
            let problem = WatchProblem {
                check: format!(
                    "{}/{}{}",
                    self.controller,
                    target.kind.plural,
                    place.unwrap_or_default()
                ),
                controller: self.controller.clone(),
                health: self.health.clone(),
                interruptions: self.interruptions.clone(),
                target: target.clone(),
                last: None,
            };
            WatchToOpen {
                scope: namespace.map(str::to_owned),
                client: client.clone(),
                page,
                problem,
            }
        };
        let places = object::places::<K>(kind, namespaces).into_iter();
        places.map(watch).collect()
    }
}

/// The reporter of the problems of one watch.
pub(crate) struct WatchProblem {
    /// The name of the check on `/readyz`: `lolcow/configmaps in barn`.
    check: String,
    controller: String,
    health: Health,
    interruptions: Interruptions,
    target: WatchTarget,
    /// The problem that was reported and has not ended.
    last: Option<String>,
}

impl WatchProblem {
    /// Counts an interruption. If its cause is a problem that was not reported yet, logs it and
    /// reports the check as not ready.
    pub fn begin(&mut self, interruption: &Interruption) {
        let (controller, target) = (&self.controller, &self.target);
        self.interruptions
            .count(controller, &target.kind.plural, interruption);
        let Some(problem) = interruption.diagnose(target) else {
            return;
        };
        if self.last.as_ref() != Some(&problem) {
            tracing::warn!(controller, "watch interrupted: {problem}");
            self.health.not_ready(&self.check, &problem);
            self.last = Some(problem);
        }
    }

    /// Reports that the watch works again, if it had a problem.
    pub fn end(&mut self) {
        if self.last.take().is_some() {
            let (controller, kind) = (&self.controller, &self.target.kind.kind);
            tracing::info!(controller, kind, "watch resumed");
            self.health.ready(&self.check);
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::mock;

    #[tokio::test]
    async fn each_namespace_has_its_own_problem() {
        let health = Health::default();
        let figures = mock::MockMetrics::new();
        let (client, _server) = mock::client();
        let namespaces = ["a".to_owned(), "b".to_owned()];
        let watched = WatchHealth::new("me", health.clone(), figures.interruptions.clone());
        let mut both = watched.watches::<ConfigMap>(&client, &(), &namespaces, 100);
        both[0].problem.begin(&Interruption::NoVersion);
        both[1].problem.end();
        let (status, text) = health.answer("/readyz");
        assert_ne!(status, http::StatusCode::OK);
        assert!(
            text.starts_with("me/configmaps in a: configmaps: "),
            "{text}"
        );
        let counted = "watch_interruptions_total{controller=\"me\",resource=\"configmaps\",reason=\"failed\"} 1";
        assert!(figures.text().contains(counted), "{}", figures.text());
        both[0].problem.end();
        assert_eq!(health.answer("/readyz").0, http::StatusCode::OK);
    }
}
