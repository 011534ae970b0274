//! What came of a campaign.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::text::count;
use crate::torture::error::Error;
use crate::torture::oracle::finding::Finding;
use crate::torture::search::coverage::{Coverage, LEAST_SCENARIOS, LEAST_WRITES};

/// What came of it.
#[derive(Debug, Default)]
pub struct CampaignResult {
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
    /// What looked like a finding once, and did not when it was played a second time.
    pub unsteady: Vec<String>,
    /// How much of what could be tested was tested.
    pub coverage: Coverage,
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

impl CampaignResult {
    /// Reports whether there is no verdict: nothing was found, but too little was tested.
    pub fn is_inconclusive(&self) -> bool {
        self.findings.is_empty() && !self.coverage.is_enough()
    }

    /// Describes the result in a line: the findings, what was played, and what was not.
    pub fn summary(&self, seed: u64) -> String {
        let mut parts = vec![format!(
            "{} of {} in {:.0} s, seed {seed}",
            count(self.tried, "fault"),
            self.planned,
            self.took.as_secs_f32()
        )];
        parts.push(self.coverage.describe());
        if !self.unsteady.is_empty() {
            let suspects = count(self.unsteady.len(), "suspect");
            parts.push(format!(
                "{suspects} did not show a second time, so no finding"
            ));
        }
        let few = if self.is_inconclusive() {
            format!(
                ", but less was tested than a verdict needs ({LEAST_SCENARIOS} % of the scenarios, \
                 {LEAST_WRITES} % of the kinds of write)"
            )
        } else {
            String::new()
        };
        let findings = count(self.findings.len(), "finding");
        format!("{findings}{few}: {}", parts.join("; "))
    }

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
            known.map(|known| known.see_again(finding)).is_none()
        };
        findings.into_iter().filter(is_unknown).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_finding_after_little_coverage_is_inconclusive() {
        let mut outcome = CampaignResult {
            unsteady: vec!["missing: pod/moo is missing".into(); 2],
            ..CampaignResult::default()
        };
        outcome.coverage.expect_scenario("cow/moo", "life");
        assert!(outcome.is_inconclusive());
        assert_eq!(
            outcome.summary(7),
            "0 findings, but less was tested than a verdict needs (10 % of the scenarios, 80 % of the kinds of write): \
             0 faults of 0 in 0 s, seed 7; 0 of 1 scenarios played; not played: cow/moo: life; \
             2 suspects did not show a second time, so no finding"
        );
        outcome.coverage.run_scenario("cow/moo", "life");
        assert!(!outcome.is_inconclusive());
    }
}
