//! Confirmation and minimization of findings: runs them again with new baseline runs, and with as
//! few steps and faults as possible. Load may have distorted the first baseline.

use std::collections::BTreeSet;

use crate::torture::error::{Error, Result};
use crate::torture::fault::Fault;
use crate::torture::oracle::Oracle;
use crate::torture::oracle::baseline::Baseline;
use crate::torture::oracle::finding::Finding;
use crate::torture::run::result::Expectation;
use crate::torture::run::run_scenario;
use crate::torture::run::settings::RunSettings;
use crate::torture::scenario::Scenario;
use crate::torture::search::suspects::Sighting;

/// A minimizer of findings: runs them again with fewer steps and faults.
pub struct Minimizer<'a> {
    /// The settings of its runs, with their deadline.
    pub settings: RunSettings,
    pub oracle: &'a Oracle,
}

impl Minimizer<'_> {
    /// Returns the minimized finding of the first sighting that reproduces, or `None`.
    pub async fn confirm(&self, sightings: Vec<Sighting>) -> Result<Option<Finding>> {
        for (baseline, finding) in sightings {
            let again = match baseline {
                Some(baseline) => self.minimize_faulty(&baseline, finding).await?,
                None => match self.minimize_without_faults(finding).await? {
                    Some(finding) => self.observe_recovery(finding).await?,
                    None => None,
                },
            };
            if again.is_some() {
                return Ok(again);
            }
        }
        Ok(None)
    }

    /// Returns the finding with fewer steps and faults, or `None` if it does not reproduce.
    async fn minimize_faulty(
        &self,
        baseline: &Baseline,
        finding: Finding,
    ) -> Result<Option<Finding>> {
        let mut smallest = None;
        for fault in finding.faults.iter().filter(|_| finding.faults.len() > 1) {
            smallest = self
                .find_again(baseline, std::slice::from_ref(fault), &finding)
                .await?;
            if smallest.is_some() {
                break;
            }
        }
        if smallest.is_none() {
            smallest = self.find_again(baseline, &finding.faults, &finding).await?;
        }
        let Some(smallest) = smallest else {
            return Ok(None);
        };
        let all: Vec<usize> = (0..smallest.scenario.steps.len()).collect();
        for kept in shorter(&smallest).into_iter().chain([all]) {
            let found = self.with_fewer(baseline, &smallest, &kept).await?;
            if let Some(found) = found {
                return Ok(Some(found.named()));
            }
        }
        Ok(None)
    }

    /// Returns the finding with some of its steps only, if it shows.
    async fn with_fewer(
        &self,
        baseline: &Baseline,
        finding: &Finding,
        kept: &[usize],
    ) -> Result<Option<Finding>> {
        let faults = finding
            .faults
            .iter()
            .map(|fault| fault.in_shortened_scenario(kept));
        let Some(faults) = faults.collect::<Option<Vec<Fault>>>() else {
            return Ok(None);
        };
        let baseline = self
            .run_baseline(baseline.scenario.with_steps(kept))
            .await?;
        self.find_again(&baseline, &faults, finding).await
    }

    /// Returns a finding without faults with as few steps as show it, or `None` if it does not
    /// show.
    async fn minimize_without_faults(&self, finding: Finding) -> Result<Option<Finding>> {
        for kept in shorter(&finding) {
            let step = kept
                .iter()
                .position(|step| *step == finding.step)
                .unwrap_or_default();
            let shorter = Finding {
                scenario: finding.scenario.with_steps(&kept),
                step,
                ..finding.clone()
            };
            let found = self.find_again_without_faults(&shorter).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        self.find_again_without_faults(&finding).await
    }

    /// Runs the scenario of a finding without faults again, and the direct scenarios that it is
    /// compared with. Returns the finding if it shows in these runs.
    pub async fn find_again_without_faults(&self, finding: &Finding) -> Result<Option<Finding>> {
        let baseline = self.run_baseline(finding.scenario.clone()).await?;
        let baselines = self.with_direct_scenarios(baseline, finding.step).await?;
        Ok(Oracle::find_again(&baselines, finding))
    }

    /// Returns a baseline, and those of the direct scenarios with which the state after `step` is
    /// compared.
    pub async fn with_direct_scenarios(
        &self,
        baseline: Baseline,
        step: usize,
    ) -> Result<Vec<Baseline>> {
        let direct = baseline.scenario.direct_scenarios(step);
        let mut baselines = vec![baseline];
        for scenario in direct {
            baselines.push(Box::pin(self.run_baseline(scenario)).await?);
        }
        Ok(baselines)
    }

    /// Observes whether the operator recovers from the state of a finding without faults. Returns
    /// `None` if it recovers in time, and the unchanged finding if no time is left to observe it.
    async fn observe_recovery(&self, finding: Finding) -> Result<Option<Finding>> {
        if !finding.class.is_about_a_state() {
            return Ok(Some(finding));
        }
        let until: Vec<usize> = (0..=finding.step).collect();
        let scenario = finding.scenario.with_steps(&until);
        match run_scenario(&self.settings.patient(), &scenario, &[], Expectation::None).await {
            Ok(run_result) => Ok(finding.observe_recovery(run_result.recovery.as_ref())),
            Err(Error::OutOfTime | Error::Interrupted) => Ok(Some(finding)),
            Err(error) => Err(error),
        }
    }

    /// Runs a scenario twice in parallel, without faults.
    ///
    /// # Errors
    /// Returns an error if a run fails, or is not complete at the deadline.
    pub async fn run_baseline(&self, scenario: Scenario) -> Result<Baseline> {
        let one = run_scenario(&self.settings, &scenario, &[], Expectation::None);
        let other = run_scenario(&self.settings, &scenario, &[], Expectation::None);
        let (one, other) = tokio::join!(one, other);
        Ok(Baseline::new(
            scenario,
            [one?.into_complete()?, other?.into_complete()?],
        ))
    }

    /// Runs the scenario of `baseline` once with `faults`. Returns the finding with the cause of
    /// `finding`, if it shows and the operator does not recover from it in time.
    pub async fn find_again(
        &self,
        baseline: &Baseline,
        faults: &[Fault],
        finding: &Finding,
    ) -> Result<Option<Finding>> {
        let run_result = run_scenario(
            &self.settings.patient(),
            &baseline.scenario,
            faults,
            Expectation::Baseline(&baseline.expected),
        )
        .await?
        .into_complete()?;
        let findings = self.oracle.check_faulty(baseline, faults, &run_result);
        let found = findings
            .into_iter()
            .find(|found| found.cause() == finding.cause());
        Ok(found.and_then(|found| found.observe_recovery(run_result.recovery.as_ref())))
    }
}

/// Returns the subsets of steps that may show a finding, as indices, smallest first: the steps of
/// the faults, the step after which it shows and the creation before them; then with the step
/// before the first fault; then with all steps between; then with all steps before.
fn shorter(finding: &Finding) -> Vec<Vec<usize>> {
    use crate::torture::scenario::Action;
    let last = finding.step;
    let faulty: Vec<usize> = finding
        .faults
        .iter()
        .flat_map(Fault::steps)
        .filter(|step| *step <= last)
        .collect();
    let first = faulty.iter().copied().min().unwrap_or(last);
    let steps = &finding.scenario.steps;
    let makes = |step: usize| matches!(steps[step].action, Action::Create(_));
    let origin = (0..=first).rev().find(|step| makes(*step)).unwrap_or(0);
    let few: BTreeSet<usize> = [origin, last].into_iter().chain(faulty).collect();
    let mut with_before = few.clone();
    with_before.insert(first.saturating_sub(1).max(origin));
    let mut all: Vec<Vec<usize>> = [few, with_before]
        .map(|steps| steps.into_iter().collect())
        .into();
    all.push((origin..=last).collect());
    all.push((0..=last).collect());
    all.dedup();
    all.retain(|kept| kept.len() < steps.len());
    all
}
