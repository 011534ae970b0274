//! The result of a campaign.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::text::count;
use crate::torture::error::Error;
use crate::torture::journal::JournalEntry;
use crate::torture::oracle::finding::Finding;
use crate::torture::run::retries::Retries;
use crate::torture::search::coverage::{Coverage, LEAST_SCENARIOS, LEAST_WRITES};

/// The findings and statistics of a campaign.
#[derive(Debug, Default)]
pub struct CampaignResult {
    /// The bugs to report, one for each cause. [`Self::rank_findings`] sorts them.
    pub findings: Vec<Finding>,
    /// Remarks for the user that are not findings.
    pub notes: Vec<String>,
    /// The number of scenarios with a baseline.
    pub scenarios: usize,
    /// The number of runs with faults.
    pub tried: usize,
    /// Descriptions of the runs with faults, by their index in the plan.
    pub done: BTreeMap<usize, String>,
    /// The number of single faults in the plan.
    pub planned: usize,
    /// The number of runs in which a fault was not injected, since its injection point did not
    /// occur.
    pub unreached: usize,
    /// The number of suspects for whose second run there was no time; the notes have their texts.
    pub unrepeated: usize,
    /// Descriptions of the suspects that did not show a second time.
    pub unconfirmed: Vec<String>,
    /// The longest time after which the operator sent a failed request again; `None` if no run
    /// showed a retry.
    pub retried_after: Option<Duration>,
    pub coverage: Coverage,
    /// The number of runs that failed for a reason outside of the operator: a broken connection, or
    /// a start that was too slow.
    pub lost: usize,
    /// True if the user interrupted the campaign, so that the result is incomplete.
    pub interrupted: bool,
    /// The duration of the campaign, without the probe of the first sample.
    pub took: Duration,
    /// The duration of the runs with faults.
    pub faults_took: Duration,
}

/// The number of lost runs that load can explain. If there are more, the API server is assumed to
/// be gone.
const MOST_LOST: usize = 5;

impl CampaignResult {
    /// Reports whether there is no verdict, because nothing was found but too little was tested.
    pub fn is_inconclusive(&self) -> bool {
        self.findings.is_empty() && !self.coverage.is_enough()
    }

    /// Records the longest retry interval of a run.
    pub fn learn_retries(&mut self, entries: &[JournalEntry]) {
        let longest = Retries::of(entries).intervals.into_iter().max();
        self.retried_after = self.retried_after.max(longest);
    }

    /// Adds the longest retry interval that any run has shown to the findings that a retry may
    /// correct, and sorts the findings by rank.
    pub fn rank_findings(&mut self) {
        let observed = self.findings.iter().filter_map(|finding| finding.retry);
        let observed = observed.map(|retry| Duration::from_secs(retry.seconds));
        if let Some(interval) = observed.max().max(self.retried_after) {
            for finding in &mut self.findings {
                finding.learn_retry(interval);
            }
        }
        self.findings.sort_by_key(Finding::rank);
    }

    /// Describes the result in one line. `seed` is that of the campaign.
    pub fn summary(&self, seed: u64) -> String {
        let mut parts = vec![format!(
            "{} of {} in {:.0} s, seed {seed}",
            count(self.tried, "fault"),
            self.planned,
            self.took.as_secs_f32()
        )];
        parts.push(self.coverage.describe());
        if !self.unconfirmed.is_empty() {
            let suspects = count(self.unconfirmed.len(), "suspect");
            parts.push(format!(
                "{suspects} did not show a second time, so no finding"
            ));
        }
        if self.unrepeated > 0 {
            let suspects = count(self.unrepeated, "suspect");
            parts.push(format!(
                "no time for a second run of {suspects}: use a larger --budget"
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

    /// Counts a failed run as lost if load or a broken connection can explain the error. Returns
    /// the error if it must end the campaign: for another error, and if too many runs are lost.
    pub fn count_lost(&mut self, error: Error) -> Option<Error> {
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

    /// Returns the findings with a new cause, and counts the others as further occurrences.
    pub fn take_new(&mut self, findings: Vec<Finding>) -> Vec<Finding> {
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
            unconfirmed: vec!["missing: pod/moo is missing".into(); 2],
            unrepeated: 1,
            ..CampaignResult::default()
        };
        outcome.coverage.expect_scenario("cow/moo", "life");
        assert!(outcome.is_inconclusive());
        assert_eq!(
            outcome.summary(7),
            "0 findings, but less was tested than a verdict needs (10 % of the scenarios, 80 % of the kinds of write): \
             0 faults of 0 in 0 s, seed 7; 0 of 1 scenarios completed, 0 of 0 fields of the spec changed; not completed: cow/moo: life; \
             2 suspects did not show a second time, so no finding; no time for a second run of 1 suspect: use a larger --budget"
        );
        outcome.coverage.run_scenario("cow/moo", "life");
        assert!(!outcome.is_inconclusive());
    }
}
