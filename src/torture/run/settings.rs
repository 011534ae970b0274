//! Where runs take place, and until when.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::torture::env::Environment;
use crate::torture::error::Error;

/// Where runs take place, and until when.
#[derive(Clone)]
pub struct RunSettings {
    /// Where.
    pub stage: Arc<Environment>,
    /// What is not over then is cut.
    pub until: Instant,
    /// Whether an operator that has come to rest in a wrong state is waited for, and then started again, to see what becomes
    /// of it.
    pub observes_recovery: bool,
}

impl RunSettings {
    /// Runs on a stage until then.
    pub fn new(stage: Arc<Environment>, until: Instant) -> Self {
        Self {
            stage,
            until,
            observes_recovery: false,
        }
    }

    /// The same slot for runs that show whether what is wrong stays so.
    #[must_use]
    pub fn patient(&self) -> Self {
        Self {
            observes_recovery: true,
            ..self.clone()
        }
    }

    /// Waits until no run may go on, and says why.
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

    /// Whether no run is to begin.
    pub fn is_over(&self) -> bool {
        self.stage.interrupt.came() || Instant::now() >= self.until
    }
}
