//! The deadlines of the phases of a campaign: baseline runs, fault runs, and second runs that
//! confirm suspects.

use std::time::{Duration, Instant};

use crate::torture::error::Error;

/// The division of a campaign's time budget among its phases. With faults, baseline runs get a
/// quarter of it.
#[derive(Clone, Copy, Debug)]
pub struct BudgetClock {
    start: Instant,
    budget: Duration,
    /// The time that the operator took to start and to settle on the first sample.
    settled_in: Duration,
    /// If true, the campaign injects faults.
    faults: bool,
}

/// The time that the first scenario gets, since everything else depends on it.
const FIRST: Duration = Duration::from_secs(60);

/// The first scenario gets this multiple of the time in which the operator has settled once: its
/// two runs share the machine, and have further steps.
const FIRST_RUNS: u32 = 4;

impl BudgetClock {
    /// Starts the clock. `settled_in` is the time that the operator took to start and to settle on
    /// the first sample. `faults` is false if the campaign injects no faults.
    pub fn start(budget: Duration, settled_in: Duration, faults: bool) -> Self {
        Self {
            start: Instant::now(),
            budget,
            settled_in,
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
    /// 60 s or half of the budget after the start. An operator that starts slowly gets more, up to
    /// three quarters of the budget.
    pub fn first_scenario_deadline(&self, share: f64) -> Instant {
        let slow = (self.settled_in * FIRST_RUNS).min(self.budget * 3 / 4);
        self.baseline_deadline(share)
            .max(self.start + FIRST.min(self.budget / 2).max(slow))
    }

    /// Returns the error of a campaign that completed no scenario.
    pub fn no_scenario(&self) -> Error {
        Error::NoScenario {
            budget: self.budget,
            took: self.elapsed(),
            settled_in: self.settled_in,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_operator_gets_more_time_for_the_first_scenario() {
        let first = |budget: u64, settled_in: u64| {
            let [budget, settled_in] = [budget, settled_in].map(Duration::from_secs);
            let clock = BudgetClock::start(budget, settled_in, true);
            (clock.first_scenario_deadline(1.0) - clock.start).as_secs()
        };
        assert_eq!(first(240, 5), 60);
        assert_eq!(first(240, 40), 160);
        assert_eq!(first(240, 100), 180);
        assert_eq!(first(40, 5), 20);
        assert_eq!(first(40, 100), 30);
        assert_eq!(first(600, 5), 150);
    }
}
