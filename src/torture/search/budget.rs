//! The time budget of a campaign.

use std::time::{Duration, Instant};

/// The division of a campaign's time among baseline runs, faults and second runs.
#[derive(Clone, Copy, Debug)]
pub struct BudgetClock {
    start: Instant,
    budget: Duration,
    /// If true, the campaign injects faults.
    faults: bool,
}

/// The time that the first scenario gets, since everything else depends on it.
const FIRST: Duration = Duration::from_secs(60);

impl BudgetClock {
    /// Starts the clock.
    pub fn start(budget: Duration, faults: bool) -> Self {
        Self {
            start: Instant::now(),
            budget,
            faults,
        }
    }

    /// Returns the deadline of the baseline runs of the samples so far, whose part of all samples is `share`. Without faults,
    /// baseline runs get their time, too.
    pub fn plain(&self, share: f64) -> Instant {
        let all = if self.faults {
            self.budget / 4
        } else {
            self.faults(true).duration_since(self.start)
        };
        self.start + all.mul_f64(share)
    }

    /// Returns the deadline of a sample's first scenario.
    pub fn first(&self, share: f64) -> Instant {
        self.plain(share)
            .max(self.start + FIRST.min(self.budget / 2))
    }

    /// Returns the time after which no fault run starts, so that suspects can be run again.
    pub fn faults(&self, is_anything_found: bool) -> Instant {
        let (kept, least, most) = if is_anything_found {
            (self.budget * 3 / 10, 60, self.budget / 2)
        } else {
            (self.budget / 10, 45, self.budget / 3)
        };
        let kept = kept.max(Duration::from_secs(least)).min(most);
        self.start + self.budget.saturating_sub(kept)
    }

    /// Returns the deadline of the campaign.
    pub fn end(&self) -> Instant {
        self.start + self.budget
    }

    /// Returns the elapsed time.
    pub fn took(&self) -> Duration {
        self.start.elapsed()
    }
}
