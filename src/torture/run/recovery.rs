//! Recovery from a wrong state: whether the operator corrects it with more time, when it tries
//! again, or after a restart.

use std::time::{Duration, Instant};

use super::{ScenarioRun, TICK};
use crate::torture::error::Result;
use crate::torture::run::result::{CONVERGENCE_TIMEOUT, ObservedRetry, Recovery};
use crate::torture::run::retries::Retries;
use crate::torture::run::settle::GARBAGE_INTERVAL;
use crate::torture::run::startup::is_watched;

/// The time for reconciles after a restarted operator watches its objects again.
const WORKS: Duration = Duration::from_secs(4);

/// The additional time that an operator gets to send a failed request again, if its run has four
/// times as much left.
const RETRY_TIMEOUT: Duration = Duration::from_secs(60);

impl ScenarioRun<'_> {
    /// Takes a snapshot after more time, one after a retry, and one after a restart. The journal
    /// and the symptoms of the run do not include this time.
    pub(super) async fn observe_recovery(&mut self, step: usize) -> Result<()> {
        let (entries, symptoms) = (self.journal.with_entries(<[_]>::len), self.symptoms.len());
        self.scenario_end = Some(entries);
        // After a mismatch the run has waited already.
        if self.mismatch.is_none() {
            self.supervise_for(step, CONVERGENCE_TIMEOUT, |_| false)
                .await?;
        }
        let waited = self.namespace.state();
        let retry = self.observe_retry(step).await?;
        self.restart_operator(step).await?;
        self.supervise_for(step, WORKS, |_| false).await?;
        self.symptoms.truncate(symptoms);
        let restarted = self.namespace.state();
        self.recovery = Some(Recovery {
            after_wait: waited,
            retry,
            after_restart: restarted,
        });
        Ok(())
    }

    /// Waits until the operator has sent a failed request again, if there is one.
    async fn observe_retry(&mut self, step: usize) -> Result<Option<ObservedRetry>> {
        let before = self.journal.with_entries(Retries::of);
        if !before.is_pending {
            return Ok(None);
        }
        let next = |run: &Self| {
            let retries = run.journal.with_entries(Retries::of);
            retries.intervals.get(before.intervals.len()).copied()
        };
        let left = self.until.saturating_duration_since(Instant::now());
        let limit = RETRY_TIMEOUT.min(left / 4);
        self.supervise_for(step, limit, |run| next(run).is_some())
            .await?;
        let Some(interval) = next(self) else {
            return Ok(None);
        };
        self.supervise_for(step, WORKS, |_| false).await?;
        let state = self.namespace.state();
        Ok(Some(ObservedRetry { interval, state }))
    }

    /// Kills the operator, and waits until it watches its objects again.
    pub(super) async fn restart_operator(&mut self, step: usize) -> Result<()> {
        let started = self.journal.with_entries(<[_]>::len);
        self.proxy.kill();
        let subject = self.namespace.subject();
        let watches = |run: &Self| {
            let journal = &run.journal;
            journal.with_entries(|entries| is_watched(&entries[started..], &subject))
        };
        self.supervise_for(step, CONVERGENCE_TIMEOUT, watches).await
    }

    /// Supervises the operator and collects garbage until the limit, or until `is_enough`.
    pub(super) async fn supervise_for(
        &mut self,
        step: usize,
        limit: Duration,
        is_enough: impl Fn(&Self) -> bool,
    ) -> Result<()> {
        let (since, mut swept) = (Instant::now(), Instant::now());
        while since.elapsed() < limit && !is_enough(self) {
            tokio::time::sleep(TICK).await;
            self.supervise(step)?;
            if swept.elapsed() > GARBAGE_INTERVAL {
                self.namespace.collect_garbage().await;
                swept = Instant::now();
            }
        }
        Ok(())
    }
}
