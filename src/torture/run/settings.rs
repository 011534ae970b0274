//! Settings of runs: the environment, the deadline, and whether recovery is observed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::torture::env::Environment;
use crate::torture::error::Error;

/// The settings of a run.
#[derive(Clone)]
pub struct RunSettings {
    pub stage: Arc<Environment>,
    /// The deadline; a run in progress is cut short.
    pub until: Instant,
    /// If true, a run whose operator has settled in a wrong state observes whether it recovers.
    pub observes_recovery: bool,
}

impl RunSettings {
    pub fn new(stage: Arc<Environment>, until: Instant) -> Self {
        Self {
            stage,
            until,
            observes_recovery: false,
        }
    }

    /// Returns the settings for runs that observe recovery.
    #[must_use]
    pub fn patient(&self) -> Self {
        Self {
            observes_recovery: true,
            ..self.clone()
        }
    }

    /// Waits until runs must end, and returns the reason.
    pub async fn over(&self) -> Error {
        const OFTEN: Duration = Duration::from_millis(50);
        loop {
            if self.stage.interrupt.came() {
                return Error::Interrupted;
            }
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Error::OutOfTime;
            }
            tokio::time::sleep(OFTEN.min(left)).await;
        }
    }

    /// Reports whether no further run may begin.
    pub fn is_over(&self) -> bool {
        self.stage.interrupt.came() || Instant::now() >= self.until
    }
}
