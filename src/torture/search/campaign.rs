//! A campaign against one operator: baseline runs, then as many faults as the budget allows, then a
//! second run for each suspect.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::terminal::Terminal;
use crate::text::count;
use crate::torture::env::Environment;
use crate::torture::error::{Error, Result};
use crate::torture::fault::Fault;
use crate::torture::oracle::Oracle;
use crate::torture::oracle::baseline::Baseline;
use crate::torture::oracle::finding::Finding;
use crate::torture::random::Random;
use crate::torture::run::result::{Expectation, RunResult};
use crate::torture::run::run_scenario;
use crate::torture::run::settings::RunSettings;
use crate::torture::scenario::{Child, LIFE};
use crate::torture::search::baseline_runner::{BaselineRunner, Deadlines, ScenarioSample, name};
use crate::torture::search::budget::BudgetClock;
use crate::torture::search::minimize::Minimizer;
use crate::torture::search::notes;
use crate::torture::search::plan::{PlannedRun, around, is_steady, named, plan};
use crate::torture::search::result::CampaignResult;
use crate::torture::search::suspects::{Suspect, Suspects};
use crate::torture::search::worker_pool::run_jobs;

/// The time limit for the first run, before the budget begins. A run that is not stuck ends
/// earlier, since its start and its steps have their own limits.
const PROBED_WITHIN: Duration = Duration::from_secs(600);

/// The limits of a campaign.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The time for the campaign, which begins when the operator has settled on the first sample.
    /// A replay has this time in total.
    pub budget: Duration,
    /// The maximum number of runs with faults; 0 injects none.
    pub faults: usize,
    /// The number of parallel runs.
    pub lanes: usize,
    /// Determines the order of faults.
    pub seed: u64,
}

/// A completed run with faults.
struct FaultRun {
    /// The index in the plan.
    number: usize,
    /// The description for reports.
    name: String,
    /// The faults for the whole scenario.
    planned: Vec<Fault>,
    baseline: Arc<Baseline>,
    /// The faults for the shortened scenario.
    faults: Vec<Fault>,
    run: RunResult,
}

/// A fault-injection campaign against one operator.
pub struct Campaign {
    /// The cluster and the operator's program.
    pub environment: Arc<Environment>,
    pub oracle: Oracle,
    pub limits: Limits,
    pub terminal: Terminal,
}

impl Campaign {
    /// Runs the campaign for the samples, of which there is at least one. The budget begins when
    /// the operator has settled on the first one. If the user interrupts the campaign after its
    /// first scenario, returns the findings so far.
    ///
    /// # Errors
    /// Returns an error if the campaign ends without a verdict: the operator does not start, the
    /// API server rejects a sample, or no scenario was completed.
    pub async fn run(&self, samples: &[ScenarioSample]) -> Result<CampaignResult> {
        let wants_faults = self.limits.faults > 0;
        let mut outcome = CampaignResult::default();
        outcome.coverage.wants_faults = wants_faults;
        let began = Instant::now();
        let first = self
            .learner()
            .probe(&samples[0], began + PROBED_WITHIN, &mut outcome)
            .await?;
        let clock = BudgetClock::start(self.limits.budget, began.elapsed(), wants_faults);
        let done = self.search(samples, first, clock, &mut outcome).await;
        outcome.took = clock.elapsed();
        outcome.rank_findings();
        for suspect in &outcome.unconfirmed {
            outcome.notes.push(format!(
                "a suspect, not a finding: seen once, and not in a second run of the same scenario: {suspect}"
            ));
        }
        let left = outcome.coverage.scenarios_left();
        if !left.is_empty() {
            let note = format!("scenarios that were not completed: {}", left.join(", "));
            outcome.notes.push(note);
        }
        if outcome.lost > 0 {
            let lost = count(outcome.lost, "run");
            let note = format!("{lost} could not be completed: the machine is too busy");
            outcome.notes.push(note);
        }
        match done {
            Err(Error::Interrupted) if outcome.scenarios > 0 => outcome.interrupted = true,
            other => other?,
        }
        Ok(outcome)
    }

    async fn search(
        &self,
        samples: &[ScenarioSample],
        children_of_first: Vec<Child>,
        clock: BudgetClock,
        outcome: &mut CampaignResult,
    ) -> Result<()> {
        let random = Random::new(self.limits.seed);
        let mut baselines = Vec::new();
        let mut suspects = Suspects::default();
        let learner = self.learner();
        let mut known = Some(children_of_first);
        for (number, sample) in samples.iter().enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "there are a few samples")]
            let share = (number + 1) as f64 / samples.len() as f64;
            let share = Deadlines {
                first: clock.first_scenario_deadline(share),
                others: clock.baseline_deadline(share),
            };
            let children = match known.take() {
                Some(children) => Ok(children),
                None => learner.probe(sample, share.first, outcome).await,
            };
            let children = match children {
                Err(Error::OutOfTime) => {
                    let sample = name(&sample.object);
                    outcome.coverage.expect_scenario(&sample, LIFE);
                    continue;
                }
                children => children?,
            };
            let new = learner
                .learn(sample, &children, share, random, outcome)
                .await?;
            for run in new.iter().flat_map(|baseline| &baseline.runs) {
                outcome.learn_retries(&run.entries);
            }
            outcome.notes.extend(notes::retained_claims(&new));
            outcome.notes.extend(notes::idle_operator(&new));
            let found = self.report_certain(outcome, Oracle::check_baselines(&new));
            suspects.add(None, found);
            baselines.extend(new.into_iter().map(Arc::new));
        }
        if outcome.scenarios == 0 {
            return Err(if outcome.interrupted {
                Error::Interrupted
            } else {
                clock.no_scenario()
            });
        }
        let most = self.limits.faults;
        let (own, coverage) = (&self.oracle.own, &mut outcome.coverage);
        let (plan, planned) = plan(&baselines, own, most, random, coverage);
        outcome.planned = planned;
        let unsteady = baselines.iter().filter(|baseline| !is_steady(baseline));
        let unsteady: Vec<_> = unsteady.map(|it| it.scenario.name.as_str()).collect();
        if !unsteady.is_empty() {
            outcome.notes.push(format!(
                "no fault is tried in scenarios that came to another state the second time, without any fault: {}",
                unsteady.join(", ")
            ));
        }
        if !outcome.interrupted {
            self.announce(plan.len(), planned, baselines.len(), suspects.len());
        }
        let mut plan = plan.into_iter().enumerate();
        // Suspects that are not confirmed leave time for further faults.
        loop {
            let tried = outcome.tried;
            if !outcome.interrupted {
                let faults = self.inject_faults(&mut plan, clock, outcome, &mut suspects);
                faults.await?;
            }
            self.confirm_suspects(&mut suspects, clock, outcome).await?;
            if outcome.interrupted || outcome.tried == tried {
                return Ok(());
            }
        }
    }

    pub(super) fn learner(&self) -> BaselineRunner<'_> {
        BaselineRunner {
            environment: &self.environment,
            lanes: self.limits.lanes,
            tests_ownership_and_limits: true,
            terminal: self.terminal,
        }
    }

    fn announce(&self, total: usize, planned: usize, scenarios: usize, suspects: usize) {
        self.terminal.status(
            "Torturing",
            format_args!(
                "{} faults of {}, seed {}; {} without any",
                total.min(planned),
                count(scenarios, "scenario"),
                self.limits.seed,
                count(suspects, "suspect")
            ),
        );
    }

    /// Injects faults until their time is over or none are left.
    async fn inject_faults(
        &self,
        plan: &mut (impl ExactSizeIterator<Item = (usize, PlannedRun)> + Send),
        clock: BudgetClock,
        outcome: &mut CampaignResult,
        suspects: &mut Suspects,
    ) -> Result<()> {
        let began = Instant::now();
        let total = outcome.tried + plan.len();
        let settings = self.settings(clock.deadline());
        let work = move |(number, (baseline, planned)): (usize, PlannedRun)| {
            let settings = settings.clone();
            async move {
                let names = planned.iter().map(|fault| named(&baseline, fault));
                let names: Vec<_> = names.collect();
                let (baseline, faults) = around(&baseline, &planned);
                let (scenario, aim) = (
                    &baseline.scenario,
                    Expectation::Baseline(&baseline.expected),
                );
                let run = run_scenario(&settings, scenario, &faults, aim)
                    .await?
                    .into_complete()?;
                Ok(FaultRun {
                    number,
                    name: names.join("; and "),
                    planned,
                    baseline: Arc::new(baseline),
                    faults,
                    run,
                })
            }
        };
        let found = Cell::new(!suspects.is_empty());
        let mut failed = None;
        run_jobs(
            plan,
            self.limits.lanes,
            || self.settings(clock.last_fault_start(found.get())).is_over(),
            work,
            |done: Result<FaultRun>| match done {
                Ok(tried) => {
                    let (baseline, run) = (&tried.baseline, &tried.run);
                    let findings = self.oracle.check_faulty(baseline, &tried.faults, run);
                    outcome.tried += 1;
                    outcome.learn_retries(&run.entries);
                    outcome.unreached += usize::from(!run.faults_reached);
                    for fault in tried.planned.iter().filter(|_| run.faults_reached) {
                        outcome.coverage.inject(fault);
                    }
                    outcome.done.insert(tried.number, tried.name);
                    let findings = outcome.take_new(findings);
                    let findings = self.report_certain(outcome, findings);
                    suspects.add(Some(baseline), findings);
                    found.set(!suspects.is_empty());
                    if outcome.tried.is_multiple_of(25) {
                        let found = count(suspects.len(), "suspect");
                        let left = clock.last_fault_start(!suspects.is_empty());
                        let left = left.saturating_duration_since(Instant::now()).as_secs();
                        let so_far = format!(
                            "{} of {total} faults, {found} so far, {left} s left for others",
                            outcome.tried
                        );
                        self.terminal.status("Tried", so_far);
                    }
                }
                Err(Error::OutOfTime) => {}
                Err(error) => failed = failed.take().or(outcome.count_lost(error)),
            },
        )
        .await;
        outcome.faults_took += began.elapsed();
        match failed {
            Some(Error::Interrupted) => outcome.interrupted = true,
            Some(error) => return Err(error),
            None => {}
        }
        Ok(())
    }

    /// Runs suspects again, and minimizes those that reproduce.
    async fn confirm_suspects(
        &self,
        suspects: &mut Suspects,
        clock: BudgetClock,
        outcome: &mut CampaignResult,
    ) -> Result<()> {
        let (settings, oracle) = (self.settings(clock.deadline()), self.oracle.clone());
        let work = move |suspect: Suspect| {
            let (settings, oracle) = (settings.clone(), oracle.clone());
            async move {
                let minimizer = Minimizer {
                    settings,
                    oracle: &oracle,
                };
                let needs_fault = suspect.needs_fault();
                let first = suspect.sightings[0].1.clone();
                let again = minimizer.confirm(suspect.sightings).await;
                let counted = |found| Finding {
                    others: first.others,
                    examples: first.examples.clone(),
                    ..found
                };
                let again = again.map(|found| found.map(counted));
                (needs_fault, first, again)
            }
        };
        let mut failed = None;
        run_jobs(
            &mut suspects.take_sorted().into_iter(),
            self.limits.lanes,
            // Suspects without faults have shown twice, so they are reported in any case.
            || false,
            work,
            |(needs_fault, finding, again)| match again {
                Ok(Some(finding)) => self.report(outcome, finding),
                Ok(None) | Err(Error::OutOfTime | Error::Interrupted)
                    if finding.class.is_proven() =>
                {
                    self.report(outcome, finding);
                }
                Ok(None) => outcome
                    .unconfirmed
                    .push(format!("{}: {}", finding.class, finding.message)),
                Err(Error::OutOfTime | Error::Interrupted) if !needs_fault => {
                    self.report(outcome, finding);
                }
                Err(Error::OutOfTime | Error::Interrupted) => {
                    outcome.unrepeated += 1;
                    outcome.notes.push(format!(
                        "seen once, and not repeated for lack of time: {}: {}",
                        finding.class, finding.message
                    ));
                }
                Err(error) => failed = failed.take().or(outcome.count_lost(error)),
            },
        )
        .await;
        outcome.interrupted |= self.environment.interrupt.is_pending();
        failed.map_or(Ok(()), Err)
    }

    /// Replays a finding with new baseline runs, and with its faults up to three times. Returns the
    /// finding as the replay shows it; `None` if it does not show.
    pub async fn replay(&self, finding: &Finding) -> Result<Option<Finding>> {
        // A race may need several tries.
        const TRIES: usize = 3;
        let minimizer = Minimizer {
            settings: self.settings(Instant::now() + self.limits.budget),
            oracle: &self.oracle,
        };
        if finding.faults.is_empty() {
            return minimizer.find_again_without_faults(finding).await;
        }
        let baseline = minimizer.run_baseline(finding.scenario.clone()).await?;
        let mut again = None;
        for _ in 0..TRIES {
            again = minimizer
                .find_again(&baseline, &finding.faults, finding)
                .await?;
            if again.is_some() {
                break;
            }
        }
        Ok(again)
    }

    pub(super) fn settings(&self, until: Instant) -> RunSettings {
        RunSettings::new(self.environment.clone(), until)
    }

    /// Reports the findings that need no second run, and returns the others.
    fn report_certain(&self, outcome: &mut CampaignResult, findings: Vec<Finding>) -> Vec<Finding> {
        let (certain, others) = findings
            .into_iter()
            .partition(|finding| finding.class.is_certain());
        let certain: Vec<Finding> = certain;
        for finding in certain {
            self.report(outcome, finding);
        }
        others
    }

    fn report(&self, outcome: &mut CampaignResult, finding: Finding) {
        if let Some(finding) = outcome.take_new(vec![finding]).pop() {
            let message = format!("{}: {}", finding.class, finding.message);
            self.terminal.status("Found", message);
            outcome.findings.push(finding);
        }
    }
}
