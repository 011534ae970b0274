//! The health endpoints `/healthz` and `/readyz` for the kubelet.
//!
//! `/healthz` returns 200 as long as the process can respond. `/readyz` lists what is missing, for
//! example a kind, a permission, or a list that has not completed. It returns 503 if the operator
//! cannot work without it:
//!
//! - With webhooks: if they have no certificate. The API server calls only ready Pods, so a waiting
//!   controller must not make the webhooks unavailable. Filling its cache may even need a
//!   conversion webhook.
//! - Without webhooks: if all controllers wait. This stops the rollout of a version that lacks a
//!   permission. If only some controllers wait, for example for an optional kind, they are listed
//!   with status 200.
//!
//! A standby replica is ready when its caches are filled, because rolling updates wait for it.
//! Problems that do not affect readiness, such as a reconcile that does not return, are listed,
//! too.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use http::StatusCode;
use parking_lot::Mutex;

/// The initial reason of components that have not reported their state yet.
pub(crate) const STARTING: &str = "is starting";

/// The components that are not ready, with their reasons. Clones share the same state.
#[derive(Clone, Default)]
pub(crate) struct Health(Arc<Mutex<HealthState>>);

/// A custom check. The error describes the problem.
pub(crate) type Check = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

#[derive(Default)]
struct HealthState {
    /// The custom checks: path, name and function.
    checks: Vec<(&'static str, String, Check)>,
    /// The components that are not ready, with the reasons.
    missing: BTreeMap<String, String>,
    /// Problems by component that do not affect readiness.
    remarks: BTreeMap<String, String>,
    /// The names of the controllers, of which at least one must be ready.
    controllers: BTreeSet<String>,
    /// The text after `ok`, such as ` (leading)`.
    note: Cow<'static, str>,
    /// The only component on which readiness depends. `None` if it depends on all of them.
    only: Option<&'static str>,
}

impl Health {
    /// Adds a controller, which is not ready for the reason `why`. At least one controller must be
    /// ready. Problems of a part of the controller are reported under its name, a slash, and the
    /// name of the part, such as `lolcow/configmaps`; a controller with such a problem is not ready
    /// either.
    pub fn add_controller(&self, controller: &str, why: &str) {
        self.with(|state| state.controllers.insert(controller.to_owned()));
        self.not_ready(controller, why);
    }

    /// Reports that a component is not ready, and replaces its previous reason. A component that
    /// does not belong to a controller makes the operator unready.
    pub fn not_ready(&self, component: &str, why: &str) {
        self.with(|state| state.missing.insert(component.to_owned(), why.to_owned()));
    }

    /// Reports that a component is ready.
    pub fn ready(&self, component: &str) {
        self.with(|state| state.missing.remove(component));
    }

    /// Sets a remark, which is listed but does not affect readiness. `None` removes it.
    pub fn remark(&self, component: &str, remark: Option<String>) {
        self.with(|state| match remark {
            Some(remark) => state.remarks.insert(component.to_owned(), remark),
            None => state.remarks.remove(component),
        });
    }

    /// Sets the text that is appended to `ok` if the operator is ready.
    pub fn note(&self, note: impl Into<Cow<'static, str>>) {
        self.with(|state| state.note = note.into());
    }

    /// Makes readiness depend on only one component. Problems of other components are still listed.
    #[cfg(feature = "webhook")]
    pub fn depend_only_on(&self, component: &'static str) {
        self.with(|state| state.only = Some(component));
    }

    /// Adds a custom check for `path`, `/healthz` or `/readyz`. It is called for each request.
    pub fn add_check(&self, path: &'static str, name: String, check: Check) {
        self.with(|state| state.checks.push((path, name, check)));
    }

    /// Responds to a request for `path`: status and plain text. A custom check that fails makes the
    /// status 503.
    pub fn answer(&self, path: &str) -> (StatusCode, String) {
        // the checks are called without the lock, because they may be slow
        let mut checks = self.with(|state| state.checks.clone());
        checks.retain(|(of, ..)| *of == path);
        let failed = checks.iter().filter_map(|(_, name, check)| {
            let why = check().err()?;
            Some(format!("{name}: {why}\n"))
        });
        let failed: String = failed.collect();
        let (status, text) = self.own_answer(path);
        if failed.is_empty() {
            (status, text)
        } else {
            let own = if status.is_success() {
                String::new()
            } else {
                text
            };
            (StatusCode::SERVICE_UNAVAILABLE, own + &failed)
        }
    }

    fn own_answer(&self, path: &str) -> (StatusCode, String) {
        match path {
            "/healthz" => (StatusCode::OK, "ok\n".to_owned()),
            "/readyz" => self.with(|state| {
                let all = state.missing.iter().chain(&state.remarks);
                let lines = all.map(|(component, why)| format!("{component}: {why}\n"));
                let lines: String = lines.collect();
                if state.works() {
                    (StatusCode::OK, format!("ok{}\n{lines}", state.note))
                } else {
                    (StatusCode::SERVICE_UNAVAILABLE, lines)
                }
            }),
            _ => (
                StatusCode::NOT_FOUND,
                "not found; this server serves /healthz and /readyz\n".to_owned(),
            ),
        }
    }

    fn with<T>(&self, f: impl FnOnce(&mut HealthState) -> T) -> T {
        f(&mut self.0.lock())
    }
}

impl HealthState {
    /// Returns true if the operator is ready: see the documentation of the module.
    fn works(&self) -> bool {
        if let Some(only) = self.only {
            return !self.missing.contains_key(only);
        }
        let is_of = |component: &str, controller: &str| {
            let part = component.strip_prefix(controller);
            part.is_some_and(|part| part.is_empty() || part.starts_with('/'))
        };
        let troubled = |controller: &String| {
            self.missing
                .keys()
                .any(|component| is_of(component, controller))
        };
        let of_none =
            |component: &String| !self.controllers.iter().any(|name| is_of(component, name));
        let all_wait = !self.controllers.is_empty() && self.controllers.iter().all(troubled);
        !all_wait && !self.missing.keys().any(of_none)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ready_once_nothing_is_missing() {
        let health = Health::default();
        health.not_ready("lolcow", "caches are not filled yet");
        assert_eq!(
            health.answer("/readyz"),
            (
                StatusCode::SERVICE_UNAVAILABLE,
                "lolcow: caches are not filled yet\n".to_owned()
            )
        );
        assert_eq!(health.answer("/healthz").0, StatusCode::OK);
        health.ready("lolcow");
        assert_eq!(
            health.answer("/readyz"),
            (StatusCode::OK, "ok\n".to_owned())
        );
        assert_eq!(health.answer("/").0, StatusCode::NOT_FOUND);
    }

    #[test]
    fn a_remark_makes_no_difference() {
        let health = Health::default();
        health.remark("lolcow/reconcile", Some("has not returned".to_owned()));
        let (code, text) = health.answer("/readyz");
        assert_eq!(code, StatusCode::OK);
        assert_eq!(text, "ok\nlolcow/reconcile: has not returned\n");
        health.remark("lolcow/reconcile", None);
        assert_eq!(health.answer("/readyz").1, "ok\n");
    }

    #[test]
    fn one_waiting_controller_is_listed_but_does_not_prevent_readiness() {
        let health = Health::default();
        health.add_controller("cow", "waits for lists of cows");
        health.add_controller("pasture", "waits for lists of pastures");
        assert_eq!(health.answer("/readyz").0, StatusCode::SERVICE_UNAVAILABLE);
        health.ready("cow");
        let text = "ok\npasture: waits for lists of pastures\n".to_owned();
        assert_eq!(health.answer("/readyz"), (StatusCode::OK, text));

        // a watch of the other controller is interrupted
        health.not_ready("cow/cows", "cows: no answer");
        assert_eq!(health.answer("/readyz").0, StatusCode::SERVICE_UNAVAILABLE);
        health.ready("cow/cows");
        health.not_ready("cows", "are not a controller");
        assert_eq!(health.answer("/readyz").0, StatusCode::SERVICE_UNAVAILABLE);
    }

    #[test]
    fn checks_of_the_author_are_asked_each_time() {
        let health = Health::default();
        let broken = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let is_broken = broken.clone();
        let check: Check = Arc::new(move || {
            let broken = is_broken.load(std::sync::atomic::Ordering::Relaxed);
            (!broken).then_some(()).ok_or("no answer".to_owned())
        });
        health.add_check("/readyz", "registrar".to_owned(), check);
        assert_eq!(health.answer("/readyz").1, "ok\n");
        broken.store(true, std::sync::atomic::Ordering::Relaxed);
        let (status, text) = health.answer("/readyz");
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(text, "registrar: no answer\n");
        assert_eq!(health.answer("/healthz").1, "ok\n");
    }

    #[test]
    #[cfg(feature = "webhook")]
    fn readiness_depends_only_on_the_required_check() {
        let health = Health::default();
        health.depend_only_on("webhooks");
        health.not_ready("lolcow", "caches are not filled yet");
        health.not_ready("webhooks", "no certificate");
        assert_eq!(health.answer("/readyz").0, StatusCode::SERVICE_UNAVAILABLE);
        health.ready("webhooks");
        assert_eq!(
            health.answer("/readyz"),
            (
                StatusCode::OK,
                "ok\nlolcow: caches are not filled yet\n".to_owned()
            )
        );
    }
}
