//! The deadlines of the phases of a campaign: baseline runs, fault runs, and second runs that
//! confirm suspects.

use std::time::{Duration, Instant};

/// The division of a campaign's time budget among its phases. With faults, baseline runs get a
/// quarter of it.
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
    /// Starts the clock. `faults` is false if the campaign injects no faults.
    pub fn start(budget: Duration, faults: bool) -> Self {
        Self {
            start: Instant::now(),
            budget,
            faults,
        }
    }

    /// Returns the deadline of the baseline runs of a sample. `share` is the number of samples up
    /// to and including this one, divided by the number of all samples. Without faults, baseline
    /// runs also get the time of fault runs.
    pub fn baseline_deadline(&self, share: f64) -> Instant {
        let all = if self.faults {
            self.budget / 4
        } else {
            self.last_fault_start(true).duration_since(self.start)
        };
        self.start + all.mul_f64(share)
    }

    /// Returns the deadline of a sample's first scenario: that of its baseline runs, but at least
    /// 60 s or half of the budget after the start.
    pub fn first_scenario_deadline(&self, share: f64) -> Instant {
        self.baseline_deadline(share)
            .max(self.start + FIRST.min(self.budget / 2))
    }

    /// Returns the time after which no fault run starts. The rest of the budget, more if there are
    /// suspects, is for second runs.
    pub fn last_fault_start(&self, is_anything_found: bool) -> Instant {
        let (kept, least, most) = if is_anything_found {
            (self.budget * 3 / 10, 60, self.budget / 2)
        } else {
            (self.budget / 10, 45, self.budget / 3)
        };
        let kept = kept.max(Duration::from_secs(least)).min(most);
        self.start + self.budget.saturating_sub(kept)
    }

    /// Returns the deadline of the campaign.
    pub fn deadline(&self) -> Instant {
        self.start + self.budget
    }

    /// Returns the elapsed time.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}
