//! Makes a finding as small as it gets: seen a second time, with the fewest steps that still show it, beside runs without
//! faults that were not there when it was seen first. What those showed may have been the haste of a busy machine.

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

/// Plays findings again.
pub struct Minimizer<'a> {
    /// Where, and until when.
    pub settings: RunSettings,
    /// By whose measure.
    pub oracle: &'a Oracle,
}

impl Minimizer<'_> {
    /// What was seen, seen again, and as small as it gets; `None` if it does not show.
    pub async fn confirm(&self, sights: Vec<Sighting>) -> Result<Option<Finding>> {
        for (baseline, finding) in sights {
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

    /// The finding with fewer steps and faults; `None` if it does not show again.
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

    /// The finding with some of its steps only, if it shows.
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

    /// A finding that needs no fault: seen again, with as few steps as show it; `None` if it does not show.
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

    /// Two runs without faults beside those of the straight road.
    pub async fn find_again_without_faults(&self, finding: &Finding) -> Result<Option<Finding>> {
        let mut baselines = vec![self.run_baseline(finding.scenario.clone()).await?];
        for straight in finding.scenario.direct_scenarios(finding.step) {
            baselines.push(self.run_baseline(straight).await?);
        }
        Ok(Oracle::find_again(&baselines, finding))
    }

    /// Learns what becomes of the state that a finding without faults is about; `None` if the operator corrects it in time.
    /// A finding that there is no time for stays as it is.
    async fn observe_recovery(&self, finding: Finding) -> Result<Option<Finding>> {
        if !finding.class.is_about_a_state() {
            return Ok(Some(finding));
        }
        let until: Vec<usize> = (0..=finding.step).collect();
        let scenario = finding.scenario.with_steps(&until);
        match run_scenario(&self.settings.patient(), &scenario, &[], Expectation::None).await {
            Ok(played) => Ok(finding.observe_recovery(played.recovery.as_ref())),
            Err(Error::OutOfTime | Error::Interrupted) => Ok(Some(finding)),
            Err(error) => Err(error),
        }
    }

    /// Two runs without faults.
    pub async fn run_baseline(&self, scenario: Scenario) -> Result<Baseline> {
        let one = run_scenario(&self.settings, &scenario, &[], Expectation::None);
        let other = run_scenario(&self.settings, &scenario, &[], Expectation::None);
        let (one, other) = tokio::join!(one, other);
        Ok(Baseline::new(
            scenario,
            [one?.into_complete()?, other?.into_complete()?],
        ))
    }

    /// One run with faults, and the finding if it shows.
    pub async fn find_again(
        &self,
        baseline: &Baseline,
        faults: &[Fault],
        finding: &Finding,
    ) -> Result<Option<Finding>> {
        let played = run_scenario(
            &self.settings.patient(),
            &baseline.scenario,
            faults,
            Expectation::Baseline(&baseline.expected),
        )
        .await?
        .into_complete()?;
        let findings = self.oracle.check_faulty(baseline, faults, &played);
        let found = findings
            .into_iter()
            .find(|found| found.cause() == finding.cause());
        Ok(found.and_then(|found| found.observe_recovery(played.recovery.as_ref())))
    }
}

/// The steps that may be enough, the fewest first: those of the faults, the one after which it shows, and the last
/// that made the object before; then with the one that led to where the first fault is.
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
