//! A campaign: runs the histories of a simulation on several threads, until their number or the
//! time is reached.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::error::{Error, Result};
use crate::simulation::minimize;
use crate::simulation::oracle::{self, Baseline, Cause, Finding};
use crate::simulation::plan::{self, Pair, Plan};
use crate::simulation::report::Report;
use crate::simulation::runs::{check_foreign, check_twins, run_once, run_twice};
use crate::simulation::scene::{self, BASELINE_SEED, Scene};
use crate::simulation::schedule::{Schedule, Step};

/// The first of so many histories runs twice.
const REPEATED: usize = 40;
/// The seed of the first history with faults, after those without.
const WITH_FAULTS: u64 = 100;
/// Interval between two notices about the progress.
const OFTEN: Duration = Duration::from_millis(200);

/// The limits of a campaign. It ends at the one that is reached first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The number of histories, without baseline runs. `None` for no limit.
    pub histories: Option<usize>,
    /// The wall-clock time, without minimization. `None` for no limit.
    pub budget: Option<Duration>,
}

/// A function that is notified while a campaign runs.
pub(super) type Observer<'a> = dyn Fn(Notice<'_>) + Sync + 'a;

/// An intermediate result of a campaign.
pub(super) enum Notice<'a> {
    Progress(Progress),
    /// A finding that is not minimized yet. Only the first with its cause is reported.
    Suspect(&'a Finding),
}

/// The numbers of a campaign so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// The number of finished histories, without baseline runs.
    pub histories: usize,
    /// The number of pairs of a kind of request and a fault that have occurred.
    pub covered: usize,
    /// The number of all such pairs.
    pub pairs: usize,
}

/// A campaign that has not begun.
pub(super) struct Campaign<'a> {
    pub scene: Arc<Scene>,
    /// The steps of each history.
    pub steps: Vec<Step>,
    /// The seed from which the faults and the seeds of the histories follow.
    pub seed: u64,
    /// The number of threads. Each runs one history at a time.
    pub threads: usize,
    pub limits: Limits,
    /// Called on the threads of the campaign.
    pub observe: &'a Observer<'a>,
}

/// The data that the threads of a campaign share.
struct Shared {
    plan: Plan,
    /// The number of all pairs of a kind of request and a fault.
    pairs: usize,
    /// The number of histories that have started.
    started: usize,
    /// The number of histories that have finished.
    finished: usize,
    /// The pairs that have occurred.
    covered: BTreeSet<Pair>,
    /// The first finding of each cause, with the number of its history.
    found: BTreeMap<Cause, (usize, Finding)>,
    /// The first error, with the number of its history. No history starts after it.
    error: Option<(usize, Error)>,
    /// The time of the last notice about the progress.
    notified: Instant,
}

impl Campaign<'_> {
    /// Runs the campaign, and returns the findings, each minimized: first baseline runs, then
    /// histories with twins and foreign objects, then those with faults.
    ///
    /// # Errors
    /// Returns an error if the API server rejects a sample, if a history differs from its
    /// repetition, or for another reason of [`run_once`].
    pub fn run(self) -> Result<Report> {
        let begun = Instant::now();
        let (first, second) = (
            self.schedule(BASELINE_SEED),
            self.schedule(BASELINE_SEED + 1),
        );
        let history = run_twice(&self.scene, &first)?;
        let other = run_twice(&self.scene, &second)?;
        let plan = Plan::new(&history, &self.scene, self.seed);
        let baseline = Baseline::new(history.clone(), &other);
        let mut shared = Shared::new(plan);
        for (schedule, history) in [(first, &history), (second, &other)] {
            for finding in oracle::check_alone(&self.steps, history) {
                shared.add(0, finding.with_schedule(&schedule, history), self.observe);
            }
        }
        // twins are in one second namespace, so the samples must be in one namespace, too
        let mut samples = self.scene.samples.iter();
        if samples.all(|sample| self.scene.sample_namespace() == scene::namespace_of(sample)) {
            for finding in check_twins(&self.scene) {
                shared.add(0, finding, self.observe);
            }
        }
        for finding in check_foreign(&self.scene) {
            shared.add(0, finding, self.observe);
        }
        let shared = Mutex::new(shared);
        // Without a settled state, there is nothing to compare with.
        if history.is_settled() && other.is_settled() {
            let until = self.limits.budget.map(|budget| begun + budget);
            thread::scope(|scope| {
                for _ in 0..self.threads {
                    scope.spawn(|| self.work(&shared, &baseline, until));
                }
            });
        }
        let shared = shared.into_inner();
        let progress = shared.progress();
        if let Some((_, error)) = shared.error {
            return Err(error);
        }
        let coverage = (progress.covered, progress.pairs);
        let mut report = Report::new(shared.finished, begun.elapsed(), coverage);
        let mut found: Vec<_> = shared.found.into_values().collect();
        found.sort_by_key(|(number, _)| *number);
        for (_, finding) in found {
            // `rustop simulate` ends a test that it does not hear from.
            (self.observe)(Notice::Progress(progress));
            let finding = minimize::minimize(&self.scene, finding);
            report.findings.push(finding);
        }
        Ok(report)
    }

    /// Runs histories on this thread until a limit is reached or a history fails. `until` is the
    /// end of the time limit.
    fn work(&self, shared: &Mutex<Shared>, baseline: &Baseline, until: Option<Instant>) {
        while let Some((number, schedule)) = self.next(shared, until) {
            let history = if (number - 1).is_multiple_of(REPEATED) {
                run_twice(&self.scene, &schedule)
            } else {
                run_once(&self.scene, &schedule)
            };
            let history = match history {
                Ok(history) => history,
                Err(error) => return shared.lock().fail(number, error),
            };
            let findings = baseline.check(&self.steps, &history);
            let mut shared = shared.lock();
            shared.finished += 1;
            let occurred = schedule
                .faults
                .iter()
                .filter(|fault| !history.unused.contains(fault));
            shared.covered.extend(occurred.map(plan::pair));
            for finding in findings {
                let finding = finding.with_schedule(&schedule, &history);
                shared.add(number, finding, self.observe);
            }
            shared.notify(self.observe);
        }
    }

    /// Returns the schedule of the next history with its number, which counts from 1, or `None` at
    /// the end.
    fn next(&self, shared: &Mutex<Shared>, until: Option<Instant>) -> Option<(usize, Schedule)> {
        let mut shared = shared.lock();
        let is_over = until.is_some_and(|until| Instant::now() >= until);
        let is_enough = self.limits.histories.is_some_and(|it| shared.started >= it);
        if is_over || is_enough || shared.error.is_some() {
            return None;
        }
        let index = shared.started as u64;
        shared.started += 1;
        let schedule = Schedule {
            faults: shared.plan.next_faults(),
            ..self.schedule(self.seed.wrapping_add(WITH_FAULTS + index))
        };
        Some((shared.started, schedule))
    }

    /// Returns the schedule of a history without faults.
    fn schedule(&self, seed: u64) -> Schedule {
        Schedule {
            seed,
            steps: self.steps.clone(),
            faults: Vec::new(),
        }
    }
}

impl Shared {
    fn new(plan: Plan) -> Self {
        Self {
            pairs: plan.pairs(),
            plan,
            started: 0,
            finished: 0,
            covered: BTreeSet::new(),
            found: BTreeMap::new(),
            error: None,
            notified: Instant::now(),
        }
    }

    /// Adds a finding of the history `number`, unless an earlier history has shown its cause. So
    /// the result does not depend on which thread is faster.
    fn add(&mut self, number: usize, finding: Finding, observe: &Observer<'_>) {
        let cause = finding.cause();
        match self.found.get(&cause) {
            None => observe(Notice::Suspect(&finding)),
            Some((known, _)) if *known <= number => return,
            Some(_) => {}
        }
        self.found.insert(cause, (number, finding));
    }

    /// Ends the campaign with an error, unless an earlier history has already failed.
    fn fail(&mut self, number: usize, error: Error) {
        let known = self.error.as_ref();
        if known.is_none_or(|(known, _)| number < *known) {
            self.error = Some((number, error));
        }
    }

    /// Notifies the observer about the progress, at most once per interval.
    fn notify(&mut self, observe: &Observer<'_>) {
        if self.notified.elapsed() < OFTEN {
            return;
        }
        self.notified = Instant::now();
        observe(Notice::Progress(self.progress()));
    }

    fn progress(&self) -> Progress {
        Progress {
            histories: self.finished,
            covered: self.covered.len(),
            pairs: self.pairs,
        }
    }
}
