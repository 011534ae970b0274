//! How a campaign's time is divided.

use std::time::{Duration, Instant};

/// How a campaign's time is divided.
#[derive(Clone, Copy, Debug)]
pub struct BudgetClock {
    start: Instant,
    budget: Duration,
    /// Whether any fault is to be tried.
    faults: bool,
}

/// Without faults nothing follows from less than the first scenario, which may take this long.
const FIRST: Duration = Duration::from_secs(60);

impl BudgetClock {
    /// From now on.
    pub fn start(budget: Duration, faults: bool) -> Self {
        Self {
            start: Instant::now(),
            budget,
            faults,
        }
    }

    /// When all runs without faults are over, of which `share` is that of the samples so far. Where there are none with
    /// faults, they have their time.
    pub fn plain(&self, share: f64) -> Instant {
        let all = if self.faults {
            self.budget / 4
        } else {
            self.faults(true).duration_since(self.start)
        };
        self.start + all.mul_f64(share)
    }

    /// When the first scenario is over.
    pub fn first(&self, share: f64) -> Instant {
        self.plain(share)
            .max(self.start + FIRST.min(self.budget / 2))
    }

    /// When no fault is begun any more: what was found is looked at again, which takes its time.
    pub fn faults(&self, is_anything_found: bool) -> Instant {
        let (kept, least, most) = if is_anything_found {
            (self.budget * 3 / 10, 60, self.budget / 2)
        } else {
            (self.budget / 10, 45, self.budget / 3)
        };
        let kept = kept.max(Duration::from_secs(least)).min(most);
        self.start + self.budget.saturating_sub(kept)
    }

    /// When all is over.
    pub fn end(&self) -> Instant {
        self.start + self.budget
    }

    /// How long it has been going.
    pub fn took(&self) -> Duration {
        self.start.elapsed()
    }
}
