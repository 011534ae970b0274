//! When an operator is at rest: nothing changes, and it does nothing but try in vain what it tried before.

use std::time::{Duration, Instant};

use super::{Run, TICK};
use crate::torture::error::Result;
use crate::torture::run::hot_loop::most_written;
use crate::torture::run::result::{Expectation, ExpectedStates, PATIENCE, Symptom};
use crate::torture::scenario::Action;
use crate::torture::snapshot::{Difference, Mask};

/// Without a change for so long, an operator is at rest.
const QUIET: Duration = Duration::from_millis(700);
/// On a machine that is busy, an operator may be about to go on for as long as this.
const MOST_LAG: Duration = Duration::from_secs(3);
/// When all is as expected, this much is enough.
const SHORT: Duration = Duration::from_millis(250);
/// Who asks and asks and changes nothing for so long is at rest as well.
const IN_VAIN: Duration = Duration::from_secs(4);
/// On a machine that is busy, this much longer at most.
const MORE_PATIENCE: Duration = Duration::from_secs(30);
/// How long it is watched before it is said to write again and again.
const WATCHED: Duration = Duration::from_secs(5);
/// Who is not told that somebody disturbed its work may take so long to see it.
const NOTICES: Duration = Duration::from_secs(12);
/// Who never came to rest in one step is not waited for in the next.
const RESTLESS: Duration = Duration::from_secs(2);
/// How often garbage is looked for.
pub(super) const SWEEP: Duration = Duration::from_millis(120);

/// What an operator does when it is looked at.
#[derive(Clone, Copy, PartialEq)]
enum Pause {
    /// It is at work.
    None,
    /// Nothing.
    Idle,
    /// It goes on, and it makes no difference to wait.
    GivenUp,
}

impl Run<'_> {
    /// Waits until the operator is at rest, and as expected if that is known.
    pub(super) async fn settle(&mut self, step: usize) -> Result<()> {
        let began = Instant::now();
        let (mut swept, mut cleans) = (began, true);
        loop {
            let asleep = Instant::now();
            tokio::time::sleep(TICK).await;
            self.lag = self.lag.max(asleep.elapsed().saturating_sub(TICK));
            self.supervise(step)?;
            if swept.elapsed() > SWEEP {
                cleans = self.namespace.collect_garbage().await;
                swept = Instant::now();
            }
            let is_over = began.elapsed() > PATIENCE + (self.lag * 40).min(MORE_PATIENCE);
            let waits =
                cleans || self.proxy.held() > 0 || self.proxy.faults(|faults| faults.is_pending());
            let pause = self.pause(step, began);
            let notices =
                self.may_see_drift && began.elapsed() < NOTICES && self.is_disturbed(step);
            if !is_over && (waits || pause == Pause::None || notices) {
                continue;
            }
            if let Some(expected) = self.aim.expected() {
                let goal = step + usize::from(self.proxy.faults(|faults| faults.is_overtaken()));
                let differences = self.differences(expected, goal);
                if !differences.is_empty() && !is_over {
                    continue;
                }
                if !differences.is_empty() {
                    self.mismatch = Some((goal, differences));
                    return Ok(());
                }
            }
            if pause != Pause::Idle {
                self.note_restlessness(step);
            }
            // Once is enough to know.
            self.may_see_drift &= !self.is_disturbed(step);
            return Ok(());
        }
    }

    /// What is not as it is expected to be after a step.
    fn differences(&self, expected: &ExpectedStates, step: usize) -> Vec<Difference> {
        let found = self.namespace.state();
        let mut differences = expected.states[step].differences(&found, &expected.mask);
        // What comes of a step that there was no time for may never have been there.
        if self.proxy.faults(|faults| faults.was_overtaken()) {
            differences.retain(|difference| !difference.is_timestamp_presence());
        }
        differences
    }

    /// Whether what was there before a step that leads back to it is not there yet.
    fn is_disturbed(&self, step: usize) -> bool {
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

    /// Whether more is to be expected of the operator in this step.
    fn pause(&self, step: usize, began: Instant) -> Pause {
        let changed = self.namespace.changed().unwrap_or(began).max(began);
        let idle = changed.max(self.proxy.active()).elapsed();
        let lag = (self.lag * 12).min(MOST_LAG);
        let expected = self.aim.expected();
        let short = || expected.is_some() || self.is_as_before(step);
        if idle > QUIET + lag || (idle > SHORT + lag && short()) {
            return Pause::Idle;
        }
        let is_known = match expected {
            Some(expected) => expected.hot_loops.contains(&step),
            None => self.is_restless(),
        };
        let is_learned = expected.is_none() && began.elapsed() > WATCHED;
        let gives_up = changed.elapsed() > IN_VAIN + lag
            || (is_known && began.elapsed() > RESTLESS)
            || (is_learned && self.most_written().is_some());
        if gives_up {
            Pause::GivenUp
        } else {
            Pause::None
        }
    }

    fn is_as_before(&self, step: usize) -> bool {
        match self.aim {
            Expectation::FirstRun(states) => {
                let before = states.get(step);
                before.is_some_and(|before| *before == self.namespace.state())
            }
            _ => false,
        }
    }

    fn is_restless(&self) -> bool {
        let mut symptoms = self.symptoms.iter();
        symptoms.any(|(_, symptom)| matches!(symptom, Symptom::HotLoop(..)))
    }

    /// Says which object the operator writes again and again.
    fn note_restlessness(&mut self, step: usize) {
        if self
            .aim
            .expected()
            .is_some_and(|expected| expected.hot_loops.contains(&step))
        {
            return;
        }
        // Who ends and is started again does all of it again.
        let has_exited = |(_, symptom): &(usize, Symptom)| matches!(symptom, Symptom::Exited(_));
        if !self.symptoms.iter().any(has_exited)
            && let Some((call, count)) = self.most_written()
        {
            self.symptoms.push((step, Symptom::HotLoop(call, count)));
        }
    }

    /// What the operator wrote most often in the last seconds, if that is too often.
    fn most_written(&self) -> Option<(String, usize)> {
        let (now, is_known) = (self.journal.elapsed(), self.is_restless());
        self.journal
            .with_entries(|entries| most_written(entries, now, is_known))
    }
}
