//! Settling: waits after each step until the operator has converged, or until it is clear that it
//! does not.

use std::time::{Duration, Instant};

use crate::torture::error::Result;
use crate::torture::run::hot_loop::most_written;
use crate::torture::run::result::{CONVERGENCE_TIMEOUT, Expectation, ExpectedStates, Symptom};
use crate::torture::run::rollout::OVERLAP;
use crate::torture::run::{ScenarioRun, TICK};
use crate::torture::scenario::Action;
use crate::torture::snapshot::{Difference, Mask};

/// The time without changes and requests after which an operator is idle.
const IDLE_AFTER: Duration = Duration::from_millis(700);
/// The same time if the state is the expected one.
const IDLE_AFTER_EXPECTED: Duration = Duration::from_millis(250);
/// The maximum that the load of the machine adds to these two times.
const MOST_LAG: Duration = Duration::from_secs(3);
/// The time without changes after which an operator has settled even if it keeps sending requests.
const FUTILE_AFTER: Duration = Duration::from_secs(4);
/// The maximum that the load of the machine adds to [`CONVERGENCE_TIMEOUT`].
const MAX_EXTRA_TIME: Duration = Duration::from_secs(30);
/// The time for which an operator is observed before its writes count as a hot loop.
const HOT_LOOP_OBSERVED: Duration = Duration::from_secs(5);
/// The time within which an operator that does not watch its children may resync and notice drift.
const RESYNC_WITHIN: Duration = Duration::from_secs(12);
/// The time given to an operator with a known hot loop.
const HOT_LOOP_SETTLES: Duration = Duration::from_secs(2);
/// The interval of garbage collection.
pub(super) const GARBAGE_INTERVAL: Duration = Duration::from_millis(120);

/// The activity of an operator at one moment.
#[derive(Clone, Copy, PartialEq)]
enum Activity {
    /// It reconciles.
    Working,
    /// It does nothing.
    Idle,
    /// It repeats itself, so waiting makes no difference: its requests change nothing, or it is in
    /// a hot loop.
    Repeating,
}

/// The state of a run that waits for its operator after a step.
enum Phase {
    /// The operator reconciles, or garbage, delayed watch events or faults are pending.
    Reconciling,
    /// The operator is quiet, but it may not have noticed yet that another client changed its
    /// children.
    DriftUnnoticed,
    /// The operator is quiet in another state than the baseline runs, and has time left.
    Diverged,
    /// The time is over, and the state is not the one of the baseline runs.
    Mismatched(usize, Vec<Difference>),
    /// The state is not known to be wrong, but the operator is not idle.
    Unsettled,
    /// The operator is idle, and the state is not known to be wrong.
    Settled,
}

/// The time that a run has waited for its operator.
struct Wait {
    began: Instant,
    garbage_collected: Instant,
    has_garbage: bool,
}

impl Wait {
    fn begin() -> Self {
        let now = Instant::now();
        Self {
            began: now,
            garbage_collected: now,
            has_garbage: true,
        }
    }
}

impl ScenarioRun<'_> {
    /// Waits until the operator has settled after the step with this index, in the expected state
    /// if that is known. Records a mismatch, which ends the run, or a hot loop.
    pub(super) async fn settle(&mut self, step: usize) -> Result<()> {
        let mut wait = Wait::begin();
        loop {
            self.tick(step, &mut wait).await?;
            match self.phase(step, &wait) {
                Phase::Reconciling | Phase::DriftUnnoticed | Phase::Diverged => continue,
                Phase::Mismatched(step, differences) => {
                    self.mismatch = Some((step, differences));
                    return Ok(());
                }
                Phase::Unsettled => self.note_hot_loop(step),
                Phase::Settled => {}
            }
            // An operator that did not see drift once does not see it in later steps.
            self.may_see_drift &= !self.has_drift(step);
            return Ok(());
        }
    }

    /// Sleeps for a moment, measures the load of the machine by it, and collects garbage from time
    /// to time.
    async fn tick(&mut self, step: usize, wait: &mut Wait) -> Result<()> {
        let asleep = Instant::now();
        tokio::time::sleep(TICK).await;
        self.lag = self.lag.max(asleep.elapsed().saturating_sub(TICK));
        self.supervise(step)?;
        if wait.garbage_collected.elapsed() > GARBAGE_INTERVAL {
            wait.has_garbage = self.namespace.collect_garbage().await;
            wait.garbage_collected = Instant::now();
        }
        Ok(())
    }

    /// Determines the phase from the current state of the cluster and the activity of the operator.
    fn phase(&self, step: usize, wait: &Wait) -> Phase {
        // `lag` is the delay of a single tick, and an operator needs many steps to converge.
        let time_limit = CONVERGENCE_TIMEOUT + (self.lag * 40).min(MAX_EXTRA_TIME);
        let is_expired = wait.began.elapsed() > time_limit;
        let activity = self.activity(step, wait.began);
        if !is_expired {
            let overlaps = self.predecessor.is_some() && wait.began.elapsed() < OVERLAP;
            let is_pending = wait.has_garbage
                || overlaps
                || self.proxy.pending() > 0
                || self.proxy.faults(|faults| faults.is_pending());
            if is_pending || activity == Activity::Working {
                return Phase::Reconciling;
            }
            let may_resync = self.may_see_drift && wait.began.elapsed() < RESYNC_WITHIN;
            if may_resync && self.has_drift(step) {
                return Phase::DriftUnnoticed;
            }
        }
        if let Some(expected) = self.expectation.expected() {
            let goal = step + usize::from(self.proxy.faults(|faults| faults.is_overtaken()));
            let differences = self.differences(expected, goal);
            match (differences.is_empty(), is_expired) {
                (true, _) => {}
                (false, false) => return Phase::Diverged,
                (false, true) => return Phase::Mismatched(goal, differences),
            }
        }
        match activity {
            Activity::Idle => Phase::Settled,
            Activity::Working | Activity::Repeating => Phase::Unsettled,
        }
    }

    /// Returns the differences between the expected state after a step and the current state.
    fn differences(&self, expected: &ExpectedStates, step: usize) -> Vec<Difference> {
        let found = self.namespace.state();
        let mut differences = expected.states[step].differences(&found, &expected.mask);
        // The operator may never have acted on a step that the next one has overtaken.
        if self.proxy.faults(|faults| faults.was_overtaken()) {
            differences.retain(|difference| !difference.is_timestamp_presence());
        }
        differences
    }

    /// Reports whether the step is a change of children by another client that the operator has not
    /// undone yet: the step must lead back to the state before it.
    fn has_drift(&self, step: usize) -> bool {
        let Some(before) = step.checked_sub(1) else {
            return false;
        };
        let [last, now] = [before, step].map(|step| &self.scenario.steps[step]);
        let Some(state) = self.states.get(before) else {
            return false;
        };
        let is_meant = |difference: &Difference| match &now.action {
            _ if difference.field.is_empty() => difference.expected.is_some(),
            Action::EditChild(child, _) => {
                difference.id == child.id && !difference.field.starts_with("status")
            }
            _ => false,
        };
        let leads_back = now.state_key.is_some() && now.state_key == last.state_key;
        let differences = || state.differences(&self.namespace.state(), &Mask::default());
        leads_back && differences().iter().any(is_meant)
    }

    /// Returns the activity of the operator at this moment of a step.
    fn activity(&self, step: usize, began: Instant) -> Activity {
        let changed = self.namespace.last_change().unwrap_or(began).max(began);
        let proxies = self.predecessor.iter().map(|it| &it.proxy);
        let active = proxies.chain([&self.proxy]).map(|it| it.active()).max();
        let idle = active.unwrap_or(changed).max(changed).elapsed();
        let lag = (self.lag * 12).min(MOST_LAG);
        let expected = self.expectation.expected();
        let short = || expected.is_some() || self.is_as_before(step);
        if idle > IDLE_AFTER + lag || (idle > IDLE_AFTER_EXPECTED + lag && short()) {
            return Activity::Idle;
        }
        let is_known = match expected {
            Some(expected) => expected.hot_loops.contains(&step),
            None => self.has_hot_loop(),
        };
        let is_learned = expected.is_none() && began.elapsed() > HOT_LOOP_OBSERVED;
        let gives_up = changed.elapsed() > FUTILE_AFTER + lag
            || (is_known && began.elapsed() > HOT_LOOP_SETTLES)
            || (is_learned && self.most_written().is_some());
        if gives_up {
            Activity::Repeating
        } else {
            Activity::Working
        }
    }

    fn is_as_before(&self, step: usize) -> bool {
        match self.expectation {
            Expectation::FirstRun(states) => {
                let before = states.get(step);
                before.is_some_and(|before| *before == self.namespace.state())
            }
            _ => false,
        }
    }

    fn has_hot_loop(&self) -> bool {
        let mut symptoms = self.symptoms.iter();
        symptoms.any(|(_, symptom)| matches!(symptom, Symptom::HotLoop(..)))
    }

    /// Records which object the operator keeps writing.
    fn note_hot_loop(&mut self, step: usize) {
        if self
            .expectation
            .expected()
            .is_some_and(|expected| expected.hot_loops.contains(&step))
        {
            return;
        }
        // An operator that exits repeats its writes after each start.
        let has_exited = |(_, symptom): &(usize, Symptom)| matches!(symptom, Symptom::Exited(_));
        if !self.symptoms.iter().any(has_exited)
            && let Some((call, count)) = self.most_written()
        {
            self.symptoms.push((step, Symptom::HotLoop(call, count)));
        }
    }

    /// Returns the call of a hot loop, with its count in the last seconds; `None` if there is no
    /// hot loop.
    fn most_written(&self) -> Option<(String, usize)> {
        let (now, is_known) = (self.journal.elapsed(), self.has_hot_loop());
        self.journal
            .with_entries(|entries| most_written(entries, now, is_known))
    }
}
