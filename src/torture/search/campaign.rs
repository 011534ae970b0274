//! All of it for one operator: what it does without faults, then as many faults as there is time for, then a
//! second look at what they showed.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::terminal::Terminal;
use crate::text::count;
use crate::torture::env::Stage;
use crate::torture::error::{Error, Result};
use crate::torture::fault::Fault;
use crate::torture::oracle::Judge;
use crate::torture::oracle::baseline::Reference;
use crate::torture::oracle::finding::Finding;
use crate::torture::random::Random;
use crate::torture::run::result::{Expectation, RunResult, Symptom};
use crate::torture::run::run_scenario;
use crate::torture::run::settings::RunSettings;
use crate::torture::search::baseline_runner::{Learner, Sample, Share};
use crate::torture::search::budget::Clock;
use crate::torture::search::minimize::Shrinker;
use crate::torture::search::plan::{Job, around, is_steady, named, plan};
use crate::torture::search::result::Outcome;
use crate::torture::search::suspects::{Suspect, Suspects};
use crate::torture::search::worker_pool::each;

/// How much is done.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For how long.
    pub budget: Duration,
    /// How many faults at most.
    pub faults: usize,
    /// How many runs beside each other.
    pub lanes: usize,
    /// Which order faults have.
    pub seed: u64,
}

/// Faults that were tried.
struct Tried {
    /// In the plan.
    number: usize,
    name: String,
    /// As planned.
    planned: Vec<Fault>,
    reference: Arc<Reference>,
    /// As played: in the steps that are left of the scenario.
    faults: Vec<Fault>,
    played: RunResult,
}

/// What is done to an operator.
pub struct Campaign {
    /// Where.
    pub stage: Arc<Stage>,
    /// By whose measure.
    pub judge: Judge,
    /// How much of it.
    pub limits: Limits,
    /// Who is told.
    pub terminal: Terminal,
}

impl Campaign {
    /// Does all of it for the samples.
    pub async fn run(&self, samples: &[Sample]) -> Result<Outcome> {
        let wants_faults = self.limits.faults > 0;
        let clock = Clock::start(self.limits.budget, wants_faults);
        let mut outcome = Outcome::default();
        outcome.coverage.wants_faults = wants_faults;
        let done = self.through(samples, clock, &mut outcome).await;
        outcome.took = clock.took();
        outcome.findings.sort_by_key(Finding::rank);
        for suspect in &outcome.unsteady {
            outcome.notes.push(format!(
                "a suspect, not a finding: seen once, and not when the same was played again: {suspect}"
            ));
        }
        let left = outcome.coverage.scenarios_left();
        if !left.is_empty() {
            let note = format!(
                "scenarios that were not played to their end: {}",
                left.join(", ")
            );
            outcome.notes.push(note);
        }
        if outcome.lost > 0 {
            let lost = count(outcome.lost, "run");
            let note = format!("{lost} could not be played: the machine is too busy for them");
            outcome.notes.push(note);
        }
        match done {
            Err(Error::Interrupted) if outcome.scenarios > 0 => outcome.interrupted = true,
            other => other?,
        }
        Ok(outcome)
    }

    async fn through(&self, samples: &[Sample], clock: Clock, outcome: &mut Outcome) -> Result<()> {
        let random = Random::new(self.limits.seed);
        let mut references = Vec::new();
        let mut suspects = Suspects::default();
        let learner = Learner {
            stage: &self.stage,
            lanes: self.limits.lanes,
            others: true,
            terminal: self.terminal,
        };
        for (number, sample) in samples.iter().enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "there are a few samples")]
            let share = (number + 1) as f64 / samples.len() as f64;
            let share = Share {
                first: clock.first(share),
                others: clock.plain(share),
            };
            let played = learner.learn(sample, share, random, outcome).await?;
            outcome.notes.extend(retained(&played));
            let found = self.tell_certain(outcome, Judge::references(&played));
            suspects.add(None, found);
            references.extend(played.into_iter().map(Arc::new));
        }
        if outcome.scenarios == 0 {
            return Err(if outcome.interrupted {
                Error::Interrupted
            } else {
                Error::OutOfTime
            });
        }
        let most = self.limits.faults;
        let (own, coverage) = (&self.judge.own, &mut outcome.coverage);
        let (plan, planned) = plan(&references, own, most, random, coverage);
        outcome.planned = planned;
        let unsteady = references.iter().filter(|reference| !is_steady(reference));
        let unsteady: Vec<_> = unsteady.map(|it| it.scenario.name.as_str()).collect();
        if !unsteady.is_empty() {
            outcome.notes.push(format!(
                "no fault is tried in scenarios that came to another state the second time, without any fault: {}",
                unsteady.join(", ")
            ));
        }
        if !outcome.interrupted {
            self.announce(plan.len(), planned, references.len(), suspects.len());
        }
        let mut plan = plan.into_iter().enumerate();
        // What seemed to be wrong and is not takes less time than was kept for it.
        loop {
            let tried = outcome.tried;
            if !outcome.interrupted {
                let faults = self.faults(&mut plan, clock, outcome, &mut suspects);
                faults.await?;
            }
            self.look_again(&mut suspects, clock, outcome).await?;
            if outcome.interrupted || outcome.tried == tried {
                return Ok(());
            }
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

    /// Tries faults until the time is over, or there are no more.
    async fn faults(
        &self,
        plan: &mut (impl ExactSizeIterator<Item = (usize, Job)> + Send),
        clock: Clock,
        outcome: &mut Outcome,
        suspects: &mut Suspects,
    ) -> Result<()> {
        let began = Instant::now();
        let total = outcome.tried + plan.len();
        let slot = self.slot(clock.end());
        let work = move |(number, (reference, planned)): (usize, Job)| {
            let slot = slot.clone();
            async move {
                let names = planned.iter().map(|fault| named(&reference, fault));
                let names: Vec<_> = names.collect();
                let (reference, faults) = around(&reference, &planned);
                let (scenario, aim) = (
                    &reference.scenario,
                    Expectation::Baseline(&reference.expected),
                );
                let played = run_scenario(&slot, scenario, &faults, aim)
                    .await?
                    .into_complete()?;
                Ok(Tried {
                    number,
                    name: names.join("; and "),
                    planned,
                    reference: Arc::new(reference),
                    faults,
                    played,
                })
            }
        };
        let found = Cell::new(!suspects.is_empty());
        let mut failed = None;
        each(
            plan,
            self.limits.lanes,
            || self.slot(clock.faults(found.get())).is_over(),
            work,
            |done: Result<Tried>| match done {
                Ok(tried) => {
                    let (reference, played) = (&tried.reference, &tried.played);
                    let findings = self.judge.faulty(reference, &tried.faults, played);
                    outcome.tried += 1;
                    outcome.unreached += usize::from(!played.faults_reached);
                    for fault in tried.planned.iter().filter(|_| played.faults_reached) {
                        outcome.coverage.inject(fault);
                    }
                    outcome.done.insert(tried.number, tried.name);
                    let findings = outcome.unknown(findings);
                    let findings = self.tell_certain(outcome, findings);
                    suspects.add(Some(reference), findings);
                    found.set(!suspects.is_empty());
                    if outcome.tried.is_multiple_of(25) {
                        let found = count(suspects.len(), "suspect");
                        let left = clock.faults(!suspects.is_empty());
                        let left = left.saturating_duration_since(Instant::now()).as_secs();
                        let so_far = format!(
                            "{} of {total} faults, {found} so far, {left} s left for others",
                            outcome.tried
                        );
                        self.terminal.status("Tried", so_far);
                    }
                }
                Err(Error::OutOfTime) => {}
                Err(error) => failed = failed.take().or(outcome.lose(error)),
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

    /// Finds what was seen a second time, and makes it as small as it gets.
    async fn look_again(
        &self,
        suspects: &mut Suspects,
        clock: Clock,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let (slot, judge) = (self.slot(clock.end()), self.judge.clone());
        let work = move |suspect: Suspect| {
            let (slot, judge) = (slot.clone(), judge.clone());
            async move {
                let shrinker = Shrinker {
                    slot,
                    judge: &judge,
                };
                let needs_fault = suspect.needs_fault();
                let first = suspect.sights[0].1.clone();
                let again = shrinker.look_again(suspect.sights).await;
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
        each(
            &mut suspects.most_often_first().into_iter(),
            self.limits.lanes,
            // What was seen twice already is told at any rate.
            || false,
            work,
            |(needs_fault, finding, again)| match again {
                Ok(Some(finding)) => self.tell(outcome, finding),
                Ok(None) | Err(Error::OutOfTime | Error::Interrupted)
                    if finding.class.is_proven() =>
                {
                    self.tell(outcome, finding);
                }
                Ok(None) => outcome
                    .unsteady
                    .push(format!("{}: {}", finding.class, finding.says)),
                Err(Error::OutOfTime | Error::Interrupted) if !needs_fault => {
                    self.tell(outcome, finding);
                }
                Err(Error::OutOfTime | Error::Interrupted) => outcome.notes.push(format!(
                    "seen once, and not looked at again for lack of time: {}: {}",
                    finding.class, finding.says
                )),
                Err(error) => failed = failed.take().or(outcome.lose(error)),
            },
        )
        .await;
        outcome.interrupted |= self.stage.interrupt.came();
        failed.map_or(Ok(()), Err)
    }

    /// Plays a finding again, from scratch; `None` if it does not show.
    pub async fn replay(&self, finding: &Finding) -> Result<Option<Finding>> {
        // What depends on who comes first needs more than one try.
        const TRIES: usize = 3;
        let shrinker = Shrinker {
            slot: self.slot(Instant::now() + self.limits.budget),
            judge: &self.judge,
        };
        if finding.faults.is_empty() {
            return shrinker.again_plain(finding).await;
        }
        let reference = shrinker.learn(finding.scenario.clone()).await?;
        let mut again = None;
        for _ in 0..TRIES {
            again = shrinker.again(&reference, &finding.faults, finding).await?;
            if again.is_some() {
                break;
            }
        }
        Ok(again)
    }

    /// Here, until then.
    fn slot(&self, until: Instant) -> RunSettings {
        RunSettings::new(self.stage.clone(), until)
    }

    /// Tells the findings that a second sight cannot make more certain, and returns the others.
    fn tell_certain(&self, outcome: &mut Outcome, findings: Vec<Finding>) -> Vec<Finding> {
        let (certain, others) = findings
            .into_iter()
            .partition(|finding| finding.class.is_certain());
        let certain: Vec<Finding> = certain;
        for finding in certain {
            self.tell(outcome, finding);
        }
        others
    }

    fn tell(&self, outcome: &mut Outcome, finding: Finding) {
        if let Some(finding) = outcome.unknown(vec![finding]).pop() {
            let says = format!("{}: {}", finding.class, finding.says);
            self.terminal.status("Found", says);
            outcome.findings.push(finding);
        }
    }
}

/// Notes once what `StatefulSets` leave behind by Kubernetes' own rule.
fn retained(references: &[Reference]) -> Option<String> {
    let runs = references.iter().flat_map(|reference| &reference.runs);
    let mut symptoms = runs.flat_map(|run| &run.symptoms);
    let claim = symptoms.find_map(|(_, symptom)| match symptom {
        Symptom::RetainedClaim(claim) => Some(claim),
        _ => None,
    })?;
    Some(format!(
        "Kubernetes keeps the claims of a StatefulSet that is gone, such as {claim}, unless its persistentVolumeClaimRetentionPolicy is \
         `whenDeleted: Delete`; no finding is made of them"
    ))
}
