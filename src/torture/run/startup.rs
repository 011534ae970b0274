//! Startup: waits until the operator watches the scenario's object, or explains why it does not.

use std::time::{Duration, Instant};

use super::{ScenarioRun, TICK};
use crate::torture::api::call::{Resource, Verb};
use crate::torture::env::process::{OperatorProcess, exit_reason};
use crate::torture::error::{Error, Result};
use crate::torture::journal::{self, JournalEntry, RecordedRequest};
use crate::torture::load::LoadMeter;
use crate::torture::run::result::Expectation;

/// The time until the operator must watch its resource, on an idle machine.
const START: Duration = Duration::from_secs(30);

/// The time without requests after which an operator has filled its caches.
const CAUGHT_UP: Duration = Duration::from_millis(250);

/// The maximum time for filling the caches.
const BEHIND: Duration = Duration::from_secs(10);

/// Reports whether the operator has opened a watch of a kind, in any of its versions.
pub(super) fn is_watched(entries: &[JournalEntry], wanted: &Resource) -> bool {
    let mut requests = journal::requests(entries).map(|(_, request)| request);
    requests.any(|request| {
        let call = &request.call;
        let same = (&call.resource.group, &call.resource.plural) == (&wanted.group, &wanted.plural);
        call.verb == Verb::Watch && same && request.succeeded()
    })
}

impl ScenarioRun<'_> {
    /// Waits until the operator watches the scenario's object, and then at most [`BEHIND`] until it
    /// has filled its caches.
    ///
    /// # Errors
    /// Returns an error with the probable reason if it ends or does not watch the object in time.
    pub(super) async fn wait_until_watching(&mut self) -> Result<()> {
        let since = Instant::now();
        self.waiting_since = Some(since);
        let mut load = LoadMeter::default();
        while !self.is_watching() {
            if let Some(status) = self.process.as_mut().and_then(OperatorProcess::ended) {
                let log = exit_reason(&self.files.log());
                return Err(self
                    .missing_kind()
                    .unwrap_or(Error::EndedAtStart { status, log }));
            }
            load.sample();
            let limit = load.stretch(START);
            if since.elapsed() > limit {
                return Err(self.not_watching(limit, load.is_busy()));
            }
            tokio::time::sleep(TICK).await;
        }
        self.waiting_since = None;
        self.wait_until_caches_filled().await;
        Ok(())
    }

    /// Returns the error of a run whose time ended: if the operator had enough of it to start, the
    /// reason why it did not.
    pub(super) fn out_of_time(&self) -> Error {
        match self.waiting_since.map(|since| since.elapsed()) {
            Some(waited) if waited >= START => self.not_watching(waited, false),
            _ => Error::OutOfTime,
        }
    }

    fn is_watching(&self) -> bool {
        let wanted = self.namespace.subject();
        self.journal
            .with_entries(|entries| is_watched(entries, &wanted))
    }

    /// Returns the reason why the operator does not watch the scenario's object after `waited`.
    fn not_watching(&self, waited: Duration, busy: bool) -> Error {
        if let Some(error) = self.missing_kind() {
            return error;
        }
        let (seconds, log) = (waited.as_secs(), exit_reason(&self.files.log()));
        let silent = self
            .journal
            .with_entries(|entries| journal::requests(entries).next().is_none());
        if silent {
            Error::Silent { seconds, log, busy }
        } else {
            Error::NotWatching {
                resource: self.namespace.subject().to_string(),
                seconds,
                log,
                busy,
            }
        }
    }

    /// Waits until the operator sends no more requests: it may list other kinds before its first
    /// reconcile.
    async fn wait_until_caches_filled(&self) {
        let since = Instant::now();
        let asks = || self.proxy.pending() > 0 || self.proxy.active().elapsed() < CAUGHT_UP;
        while asks() && since.elapsed() < BEHIND {
            tokio::time::sleep(TICK).await;
        }
    }

    /// Reports whether the run is a first baseline run in which the operator has changed no object,
    /// events and Leases aside. If it also requests a kind that is not served, that is the reason.
    /// Returns false in any other run.
    pub(super) fn has_written_nothing(&self) -> bool {
        let works = |entries: &[JournalEntry]| {
            let mut requests = journal::requests(entries);
            requests.any(|(_, request)| request.call.is_work())
        };
        matches!(self.expectation, Expectation::None) && !self.journal.with_entries(works)
    }

    /// Returns an error if the operator requests a kind that the API server does not serve.
    pub(super) fn missing_kind(&self) -> Option<Error> {
        let kinds = &self.environment.upstream.kinds;
        let is_missing = |request: &&RecordedRequest| {
            let call = &request.call;
            // Without permission the status is 403 instead of 404.
            let in_vain = [403, 404].contains(&request.status);
            in_vain && call.name.is_none() && kinds.of(&call.resource).is_none()
        };
        let missing = self.journal.with_entries(|entries| {
            let mut requests = journal::requests(entries).map(|(_, request)| request);
            let missing = requests.find(is_missing);
            missing.map(|request| request.call.resource.to_string())
        });
        let missing = missing.or_else(|| self.proxy.missing());
        missing.map(|resource| Error::NotServed { resource })
    }
}
