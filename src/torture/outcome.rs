//! What came of a campaign.

use std::collections::BTreeMap;
use std::time::Duration;

use super::error::Error;
use super::finding::Finding;

/// What came of it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// What is not wrong but should be known.
    pub notes: Vec<String>,
    /// How many scenarios were played without faults.
    pub scenarios: usize,
    /// How many faults were tried.
    pub tried: usize,
    /// What was tried, by its place in the plan.
    pub done: BTreeMap<usize, String>,
    /// How many faults there would have been.
    pub planned: usize,
    /// How many faults did not happen, since the run went another way.
    pub unreached: usize,
    /// What looked like a finding, once.
    pub unsteady: usize,
    /// How many runs could not be played: a connection broke that should not, or an operator that has begun before did
    /// not in time.
    pub lost: usize,
    /// Whether Ctrl-C ended it.
    pub interrupted: bool,
    /// How long it took.
    pub took: Duration,
    /// How long the faults alone took.
    pub faults_took: Duration,
}

/// So many runs are lost on a machine that is busy; more, and there is no API server any more.
const MOST_LOST: usize = 5;

impl Outcome {
    /// A run that failed; the error if it is one that ends all.
    pub fn lose(&mut self, error: Error) -> Option<Error> {
        let is_chance = matches!(
            error,
            Error::Api { .. } | Error::Silent { .. } | Error::NotWatching { .. }
        );
        if !is_chance {
            return Some(error);
        }
        self.lost += 1;
        (self.lost > MOST_LOST).then_some(error)
    }

    /// Those of a cause that was not found before; the others are counted.
    pub fn unknown(&mut self, findings: Vec<Finding>) -> Vec<Finding> {
        let is_unknown = |finding: &Finding| {
            let mut known = self.findings.iter_mut();
            let known = known.find(|known| known.cause() == finding.cause());
            known.map(|known| known.others += 1).is_none()
        };
        findings.into_iter().filter(is_unknown).collect()
    }
}
