//! Confirms the findings of a simulation: runs their steps and faults on the real control plane.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::text::count;
use crate::torture::error::{Error, Result};
use crate::torture::fault::Fault;
use crate::torture::fault::candidates::candidates;
use crate::torture::oracle::Oracle;
use crate::torture::oracle::baseline::Baseline;
use crate::torture::oracle::finding::Finding;
use crate::torture::run::result::Expectation;
use crate::torture::run::run_scenario;
use crate::torture::scenario::Scenario;
use crate::torture::search::baseline_runner::ScenarioSample;
use crate::torture::search::campaign::Campaign;
use crate::torture::search::minimize::Minimizer;
use crate::torture::search::result::CampaignResult;
use crate::torture::search::simulated::{Schedule, SimulatedFinding};
use crate::torture::search::worker_pool::run_jobs;

/// The maximum number of runs with faults for one finding.
const MOST_RUNS: usize = 12;

/// The result of repeating a finding of a simulation on the real control plane.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "result", rename_all = "kebab-case")]
pub enum Confirmation {
    /// It does.
    Confirmed {
        /// The finding there: `missing: deployment/red is missing`.
        finding: String,
    },
    /// It does not.
    NotReproduced {
        /// The number of runs with the steps and faults of the finding.
        runs: usize,
    },
    /// The real control plane cannot decide.
    NotTried { reason: String },
}

impl Confirmation {
    fn not_tried(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::NotTried { reason }
    }
}

/// One line for reports.
impl fmt::Display for Confirmation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Confirmed { finding } => write!(f, "confirmed on the control plane: {finding}"),
            Self::NotReproduced { runs } => write!(
                f,
                "not reproduced on the control plane in {}: the in-memory API server may be wrong",
                count(*runs, "run")
            ),
            Self::NotTried { reason } => write!(f, "not tried on the control plane: {reason}"),
        }
    }
}

impl Campaign {
    /// Runs a finding of a simulation on the control plane. `samples` are the samples of the
    /// simulation that are of the operator's own kinds.
    ///
    /// # Errors
    /// Returns [`Error::Interrupted`] if the user interrupts the runs. Any other failure is a
    /// reason of [`Confirmation::NotTried`].
    pub async fn confirm(
        &self,
        finding: &SimulatedFinding,
        samples: &[ScenarioSample],
    ) -> Result<Confirmation> {
        let until = Instant::now() + self.limits.budget;
        match self.compare(finding, samples, until).await {
            Err(Error::Interrupted) => Err(Error::Interrupted),
            Err(Error::OutOfTime) => Ok(Confirmation::not_tried(format!(
                "its runs did not end within {} s",
                self.limits.budget.as_secs()
            ))),
            Err(error) => Ok(Confirmation::not_tried(error.to_string())),
            done => done,
        }
    }

    async fn compare(
        &self,
        finding: &SimulatedFinding,
        samples: &[ScenarioSample],
        until: Instant,
    ) -> Result<Confirmation> {
        let schedule = match finding.schedule() {
            Ok(schedule) => schedule,
            Err(reason) => return Ok(Confirmation::not_tried(reason)),
        };
        let Some(subject) = finding.subject(&schedule, samples) else {
            let reason = "the simulation has no sample whose kind has a controller";
            return Ok(Confirmation::not_tried(reason));
        };
        let children = if schedule.foreign_objects().is_some() {
            let learner = self.learner();
            learner
                .probe(subject, until, &mut CampaignResult::default())
                .await?
        } else {
            Vec::new()
        };
        let scenario = match finding.scenario(&schedule, subject, samples, &children) {
            Ok(scenario) => scenario,
            Err(reason) => return Ok(Confirmation::not_tried(reason)),
        };
        let minimizer = Minimizer {
            settings: self.settings(until),
            oracle: &self.oracle,
        };
        let baseline = minimizer.run_baseline(scenario).await?;
        if schedule.faults.is_empty() {
            let found = without_faults(&minimizer, baseline).await?;
            return Ok(verdict(finding, &found, 2));
        }
        match faults(&schedule, &baseline) {
            Ok(sets) => self.with_faults(finding, &baseline, sets, until).await,
            Err(reason) => Ok(Confirmation::not_tried(reason)),
        }
    }

    /// Runs the scenario of a baseline with each set of faults.
    async fn with_faults(
        &self,
        finding: &SimulatedFinding,
        baseline: &Baseline,
        sets: Vec<Vec<Fault>>,
        until: Instant,
    ) -> Result<Confirmation> {
        let settings = self.settings(until).patient();
        let shared = Arc::new(baseline.clone());
        let work = move |faults: Vec<Fault>| {
            let (settings, baseline) = (settings.clone(), shared.clone());
            async move {
                let aim = Expectation::Baseline(&baseline.expected);
                let run = run_scenario(&settings, &baseline.scenario, &faults, aim).await?;
                Ok((faults, run.into_complete()?))
            }
        };
        let (mut found, mut runs, mut failed) = (Vec::new(), 0, None);
        let is_decided = Cell::new(false);
        run_jobs(
            &mut sets.into_iter(),
            self.limits.lanes,
            || is_decided.get() || self.settings(until).is_over(),
            work,
            |done: Result<_>| match done {
                Ok((faults, run)) => {
                    runs += usize::from(run.faults_reached);
                    let findings = self.oracle.check_faulty(baseline, &faults, &run);
                    found.extend(
                        findings
                            .into_iter()
                            .filter_map(|it| it.observe_recovery(run.recovery.as_ref())),
                    );
                    let verdict = verdict(finding, &found, runs);
                    is_decided.set(matches!(verdict, Confirmation::Confirmed { .. }));
                }
                Err(error) => failed = Some(error),
            },
        )
        .await;
        let verdict = verdict(finding, &found, runs);
        match failed {
            Some(Error::Interrupted) => Err(Error::Interrupted),
            Some(error) if runs == 0 => Err(error),
            _ if runs == 0 => Ok(Confirmation::not_tried(
                "the operator did not send the requests of its faults",
            )),
            _ => Ok(verdict),
        }
    }
}

/// Returns the findings of a baseline without faults, compared with scenarios that lead directly to
/// its last state.
async fn without_faults(minimizer: &Minimizer<'_>, baseline: Baseline) -> Result<Vec<Finding>> {
    let scenario: &Scenario = &baseline.scenario;
    let direct = scenario.direct_scenarios(scenario.steps.len().saturating_sub(1));
    let mut baselines = vec![baseline];
    for scenario in direct {
        baselines.push(minimizer.run_baseline(scenario).await?);
    }
    Ok(Oracle::check_baselines(&baselines))
}

/// Returns the sets of faults to try, or the reason why there are none.
fn faults(
    schedule: &Schedule,
    baseline: &Baseline,
) -> std::result::Result<Vec<Vec<Fault>>, String> {
    let runs = baseline
        .runs
        .each_ref()
        .map(|run| (&run.entries[..], run.namespace.as_str()));
    // Another client changes the operator's own objects, too, as in the simulation.
    let mut possible = candidates(runs, &BTreeSet::new(), |_| false);
    let last = baseline.runs[0].states.len();
    possible.retain(|fault| fault.steps().all(|step| step < last));
    possible.sort_by_key(|fault| (fault.step(), fault.occurrence()));
    schedule.faults(&possible, MOST_RUNS)
}

/// Compares the findings of `runs` runs with that of the simulation.
fn verdict(simulated: &SimulatedFinding, found: &[Finding], runs: usize) -> Confirmation {
    let text = |finding: &Finding| format!("{}: {}", finding.class, finding.message);
    let classes = simulated.classes();
    let same = |finding: &&Finding| classes.is_none_or(|classes| classes.contains(&finding.class));
    if let Some(finding) = found.iter().find(same) {
        return Confirmation::Confirmed {
            finding: text(finding),
        };
    }
    if classes.is_none() {
        let reason = format!("`{}` is checked in simulations only", simulated.class);
        return Confirmation::not_tried(reason);
    }
    Confirmation::NotReproduced { runs }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn simulated(class: &str) -> SimulatedFinding {
        SimulatedFinding {
            class: class.to_owned(),
            message: String::new(),
            schedule: Value::Null,
            samples: Vec::new(),
            edits: Vec::new(),
        }
    }

    #[test]
    fn a_run_without_the_bug_decides_about_classes_that_it_checks() {
        let missing = verdict(&simulated("missing"), &[], 3);
        assert_eq!(missing, Confirmation::NotReproduced { runs: 3 });
        assert_eq!(
            missing.to_string(),
            "not reproduced on the control plane in 3 runs: the in-memory API server may be wrong"
        );
        for own in ["always", "eventually", "two-leaders", "slow-retry"] {
            let verdict = verdict(&simulated(own), &[], 3);
            assert!(matches!(verdict, Confirmation::NotTried { .. }), "{own}");
        }
    }
}
