//! `/healthz` and `/readyz`, for the kubelet.
//!
//! `/healthz` answers 200 for as long as the process can answer at all. `/readyz` answers 200 when
//! nothing is missing: no controller waits for a kind, a permission or its caches. Otherwise it
//! answers 503 and says what is missing. A replica that stands by for the leader is ready: it does
//! what it should, and a rolling update waits for it. So is an operator that can convert objects, even while
//! its caches are empty: only a Pod that is ready is asked, and filling the caches may need a conversion.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use http::StatusCode;

/// What keeps the operator from being ready, by who says so. Cheap to clone; all clones are one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Health(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    missing: BTreeMap<String, String>,
    note: &'static str,
    only: Option<&'static str>,
}

impl Health {
    pub fn not_ready(&self, who: &str, why: &str) {
        self.with(|state| state.missing.insert(who.to_owned(), why.to_owned()));
    }

    pub fn ready(&self, who: &str) {
        self.with(|state| state.missing.remove(who));
    }

    /// What to add to the answer of a ready operator.
    pub fn note(&self, note: &'static str) {
        self.with(|state| state.note = note);
    }

    /// From now on only what `who` says keeps the operator from being ready. What others miss is told
    /// all the same.
    pub fn rests_on(&self, who: &'static str) {
        self.with(|state| state.only = Some(who));
    }

    /// The answer to a request for `path`.
    pub fn answer(&self, path: &str) -> (StatusCode, String) {
        match path {
            "/healthz" => (StatusCode::OK, "ok\n".to_owned()),
            "/readyz" => self.with(|state| {
                let lines = state
                    .missing
                    .iter()
                    .map(|(who, why)| format!("{who}: {why}\n"));
                let lines: String = lines.collect();
                let counts = |who: &String| state.only.is_none_or(|only| who == only);
                if state.missing.keys().any(counts) {
                    return (StatusCode::SERVICE_UNAVAILABLE, lines);
                }
                (StatusCode::OK, format!("ok{}\n{lines}", state.note))
            }),
            _ => (
                StatusCode::NOT_FOUND,
                "there are /healthz and /readyz\n".to_owned(),
            ),
        }
    }

    fn with<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
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
    fn ready_once_that_is_there_on_which_others_wait() {
        let health = Health::default();
        health.rests_on("webhooks");
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
