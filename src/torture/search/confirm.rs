//! Confirms the findings of a simulation: runs their steps and faults on the real control plane.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::text::count;
use crate::torture::env::cluster_view::ServedKinds;
use crate::torture::error::{Error, Result};
use crate::torture::fault::Fault;
use crate::torture::oracle::Oracle;
use crate::torture::oracle::baseline::Baseline;
use crate::torture::oracle::finding::{Class, Finding};
use crate::torture::run::result::{Expectation, RunResult};
use crate::torture::run::run_scenario;
use crate::torture::scenario::Scenario;
use crate::torture::search::baseline_runner::ScenarioSample;
use crate::torture::search::campaign::Campaign;
use crate::torture::search::minimize::Minimizer;
use crate::torture::search::plan::{is_steady, possible_faults};
use crate::torture::search::result::CampaignResult;
use crate::torture::search::simulated::{Schedule, SimulatedFinding};
use crate::torture::search::worker_pool::run_jobs;

/// The maximum number of runs with faults for one finding.
const MOST_RUNS: usize = 12;

/// The result of repeating a finding of a simulation on the real control plane.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "result", rename_all = "kebab-case")]
pub enum Confirmation {
    /// The same bug shows there.
    Confirmed {
        /// The finding of torture: `missing: deployment/red is missing`.
        finding: String,
    },
    /// The bug does not show there.
    NotReproduced {
        /// The number of runs with the steps and faults of the finding.
        runs: usize,
    },
    /// The real control plane cannot decide.
    NotTried { reason: String },
}

impl Confirmation {
    /// Returns the result for a finding that the control plane cannot decide about.
    pub fn not_tried(reason: impl Into<String>) -> Self {
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
                "not reproduced on the control plane in {}",
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
        match Box::pin(self.try_to_confirm(finding, samples, until)).await {
            Err(Error::Interrupted) => Err(Error::Interrupted),
            Err(Error::OutOfTime) => Ok(Confirmation::not_tried(format!(
                "its runs did not end within {} s",
                self.limits.budget.as_secs()
            ))),
            Err(error) => Ok(Confirmation::not_tried(error.to_string())),
            done => done,
        }
    }

    async fn try_to_confirm(
        &self,
        finding: &SimulatedFinding,
        samples: &[ScenarioSample],
        until: Instant,
    ) -> Result<Confirmation> {
        let (schedule, scenario) = match self.scenario(finding, samples, until).await? {
            Ok(translated) => translated,
            Err(reason) => return Ok(Confirmation::not_tried(reason)),
        };
        let minimizer = Minimizer {
            settings: self.settings(until),
            oracle: &self.oracle,
        };
        let baseline = minimizer.run_baseline(scenario).await?;
        if let Some(message) = baseline.runs.iter().find_map(RunResult::first_rejection) {
            let reason = format!("the API server rejects a step: {message}");
            return Ok(Confirmation::not_tried(reason));
        }
        let expected = Expected::new(finding, &self.environment.upstream.kinds);
        // It may show without the faults, too.
        let found = without_faults(&minimizer, baseline.clone()).await?;
        if let Some(confirmed) = expected.confirmed_by(&found) {
            return Ok(confirmed);
        }
        if schedule.faults.is_empty() {
            return Ok(Confirmation::NotReproduced { runs: 2 });
        }
        if !is_steady(&baseline) {
            return Ok(Confirmation::not_tried(
                "the operator reaches another state each time, also without faults",
            ));
        }
        match faults(&schedule, &baseline) {
            Ok(sets) => self.with_faults(&expected, &baseline, sets, until).await,
            Err(reason) => Ok(Confirmation::not_tried(reason)),
        }
    }

    /// Translates a finding. The inner error is the reason why it cannot be tried.
    async fn scenario(
        &self,
        finding: &SimulatedFinding,
        samples: &[ScenarioSample],
        until: Instant,
    ) -> Result<std::result::Result<(Schedule, Scenario), String>> {
        let schedule = match finding.schedule() {
            Ok(schedule) => schedule,
            Err(reason) => return Ok(Err(reason)),
        };
        let Some(subject) = finding.subject(&schedule, samples) else {
            let reason = "the simulation has no sample of a kind that has a controller";
            return Ok(Err(reason.to_owned()));
        };
        let children = if schedule.foreign_objects().is_some() {
            let learner = self.learner();
            learner
                .probe(subject, until, &mut CampaignResult::default())
                .await?
        } else {
            Vec::new()
        };
        let scenario = finding.scenario(&schedule, subject, &children);
        Ok(scenario.map(|scenario| (schedule, scenario)))
    }

    /// Runs the scenario of a baseline with each set of faults, until one of them shows the
    /// finding.
    async fn with_faults(
        &self,
        expected: &Expected,
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
        let (mut runs, mut unreached) = (0, 0);
        let mut failed: Option<Error> = None;
        let confirmed: RefCell<Option<Confirmation>> = RefCell::default();
        run_jobs(
            &mut sets.into_iter(),
            self.limits.lanes,
            || confirmed.borrow().is_some() || self.settings(until).is_over(),
            work,
            |done: Result<_>| match done {
                Ok((faults, run)) => {
                    let found: Vec<Finding> = self
                        .oracle
                        .check_faulty(baseline, &faults, &run)
                        .into_iter()
                        .filter_map(|it| it.observe_recovery(run.recovery.as_ref()))
                        .collect();
                    // A run ends at a wrong state, also before its last fault.
                    if run.faults_reached || !found.is_empty() {
                        runs += 1;
                    } else {
                        unreached += 1;
                    }
                    if let Some(found) = expected.confirmed_by(&found) {
                        confirmed.borrow_mut().get_or_insert(found);
                    }
                }
                Err(Error::Interrupted) => failed = Some(Error::Interrupted),
                Err(error) => drop(failed.get_or_insert(error)),
            },
        )
        .await;
        match (confirmed.into_inner(), failed) {
            (Some(confirmed), _) => Ok(confirmed),
            (None, Some(error)) if runs == 0 || matches!(error, Error::Interrupted) => Err(error),
            (None, None) if runs + unreached == 0 => Err(self.settings(until).over().await),
            _ if runs == 0 => Ok(Confirmation::not_tried(
                "the operator did not send the requests of its faults",
            )),
            _ => Ok(Confirmation::NotReproduced { runs }),
        }
    }
}

/// The findings that confirm that of a simulation.
struct Expected {
    classes: &'static [Class],
    /// The names of the affected kind in findings, lowercase: `jobs`, `job`. Empty if any finding
    /// of the classes confirms it.
    kind: Vec<String>,
}

impl Expected {
    fn new(finding: &SimulatedFinding, kinds: &ServedKinds) -> Self {
        let affected = finding.resource().and_then(|resource| {
            let all = kinds.all_called(&[resource.to_owned()]).ok()?;
            kinds.of(all.first()?).cloned()
        });
        let kind = affected.map(|affected| [affected.resource.plural, affected.resource.kind]);
        Self {
            classes: finding.classes().unwrap_or_default(),
            kind: kind
                .into_iter()
                .flatten()
                .map(|name| name.to_lowercase())
                .collect(),
        }
    }

    /// Returns the confirmation by the first of these findings that is the expected one.
    fn confirmed_by(&self, found: &[Finding]) -> Option<Confirmation> {
        let is_expected = |finding: &&Finding| {
            let object = finding.object.to_lowercase();
            // `deployment/moo`, `create pods`, `cows.example.com`
            let mut words = object
                .split([' ', '/'])
                .filter_map(|word| word.split('.').next());
            let is_of_kind =
                self.kind.is_empty() || words.any(|word| self.kind.iter().any(|name| name == word));
            self.classes.contains(&finding.class) && is_of_kind
        };
        let finding = found.iter().find(is_expected)?;
        Some(Confirmation::Confirmed {
            finding: format!("{}: {}", finding.class, finding.message),
        })
    }
}

/// Returns the findings of a baseline without faults, compared with scenarios that lead directly to
/// its last state.
async fn without_faults(minimizer: &Minimizer<'_>, baseline: Baseline) -> Result<Vec<Finding>> {
    let steps = &baseline.scenario.steps;
    let last = steps.len().saturating_sub(1);
    let baselines = if steps.iter().any(|step| step.state_key.is_some()) {
        minimizer.with_direct_scenarios(baseline, last).await?
    } else {
        vec![baseline]
    };
    Ok(Oracle::check_baselines(&baselines))
}

/// Returns the sets of faults to try, or the reason why there are none.
fn faults(
    schedule: &Schedule,
    baseline: &Baseline,
) -> std::result::Result<Vec<Vec<Fault>>, String> {
    // Another client changes the operator's own objects, too, as in the simulation.
    let mut possible = possible_faults(baseline, &BTreeSet::new(), |_| false);
    possible.sort_by_key(|fault| (fault.step(), fault.occurrence()));
    schedule.faults(&possible, MOST_RUNS)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_same_bug_of_the_same_kind_confirms_a_finding() {
        let expected = Expected {
            classes: &[Class::Missing, Class::NotRestored],
            kind: vec!["configmaps".into(), "configmap".into()],
        };
        let scenario = Scenario::probe(&json!({"kind": "Cow"}), &[]);
        let found = |class: Class, object: &str| -> Finding {
            let finding = json!({
                "id": "", "class": class, "object": object, "says": "a message", "differences": [],
                "scenario": scenario, "step": 0, "faults": [], "others": 0,
            });
            serde_json::from_value(finding).unwrap()
        };
        for (class, object, is_confirmed) in [
            (Class::Missing, "configmap/moo", true),
            (Class::NotRestored, "configmap/moo", true),
            (Class::Missing, "create configmaps", true),
            (Class::Missing, "deployment/configmap-moo", false),
            (Class::Missing, "deployment/moo", false),
            (Class::TooMany, "configmap/moo", false),
        ] {
            let confirmed = expected.confirmed_by(&[found(class, object)]);
            assert_eq!(confirmed.is_some(), is_confirmed, "{class} {object}");
        }
        let of_any_kind = Expected {
            classes: &[Class::Panic],
            kind: Vec::new(),
        };
        assert!(
            of_any_kind
                .confirmed_by(&[found(Class::Panic, "operator")])
                .is_some()
        );
        assert!(
            of_any_kind
                .confirmed_by(&[found(Class::Exit, "operator")])
                .is_none()
        );
    }
}
