//! Recovery from a wrong state: whether the operator corrects it with more time, or after a
//! restart.

use std::time::{Duration, Instant};

use super::{ScenarioRun, TICK};
use crate::torture::error::Result;
use crate::torture::run::result::{CONVERGENCE_TIMEOUT, Recovery};
use crate::torture::run::settle::GARBAGE_INTERVAL;
use crate::torture::run::startup::is_watched;

/// The time for reconciles after a restarted operator watches its objects again.
const WORKS: Duration = Duration::from_secs(4);

impl ScenarioRun<'_> {
    /// Takes a snapshot after more time, and another one after a restart. The journal and the
    /// symptoms of the run do not include this time.
    pub(super) async fn observe_recovery(&mut self, step: usize) -> Result<()> {
        let (entries, symptoms) = (self.journal.with_entries(<[_]>::len), self.symptoms.len());
        self.scenario_end = Some(entries);
        // After a mismatch the run has waited already.
        if self.mismatch.is_none() {
            self.supervise_for(step, CONVERGENCE_TIMEOUT, |_| false)
                .await?;
        }
        let waited = self.namespace.state();
        self.restart_operator(step).await?;
        self.supervise_for(step, WORKS, |_| false).await?;
        self.symptoms.truncate(symptoms);
        let restarted = self.namespace.state();
        self.recovery = Some(Recovery {
            after_wait: waited,
            after_restart: restarted,
        });
        Ok(())
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
