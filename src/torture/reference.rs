//! What an operator does when nothing goes wrong.

use super::played::{Expected, Played};
use super::scenario::Scenario;
use super::state::Mask;

/// The two runs of a scenario without faults.
#[derive(Clone, Debug)]
pub struct Reference {
    /// What was played.
    pub scenario: Scenario,
    /// As it went, twice.
    pub runs: [Played; 2],
    /// What other runs are compared with.
    pub expected: Expected,
}

impl Reference {
    /// Learns from two runs what is different each time. Of runs that were cut it has what both came to.
    pub fn new(mut scenario: Scenario, mut runs: [Played; 2]) -> Self {
        let played = runs.iter().map(|run| run.states.len()).min().unwrap_or(0);
        scenario.steps.truncate(played);
        for run in &mut runs {
            run.states.truncate(played);
        }
        let mut mask = Mask::default();
        let pairs = runs[0].states.iter().zip(&runs[1].states);
        for (one, other) in pairs {
            let mut differences = one.differences(other, &mask);
            // That an object is there is never a matter of chance.
            differences.retain(|difference| !difference.field.is_empty());
            mask.learn(&differences);
        }
        let restless = runs.iter().flat_map(Played::restless).collect();
        let expected = Expected {
            states: runs[0].states.clone(),
            restless,
            mask,
        };
        Self {
            scenario,
            runs,
            expected,
        }
    }

    /// Whether both runs came to their end.
    pub fn is_whole(&self) -> bool {
        self.runs.iter().all(|run| run.whole)
    }

    /// The same about some of its steps only.
    #[must_use]
    pub fn only(&self, kept: &[usize]) -> Self {
        let place = |step: usize| kept.iter().position(|kept| *kept == step);
        let mut expected = self.expected.clone();
        expected.states = kept
            .iter()
            .map(|step| self.expected.states[*step].clone())
            .collect();
        expected.restless = self
            .expected
            .restless
            .iter()
            .filter_map(|step| place(*step))
            .collect();
        let runs = self.runs.clone().map(|mut run| {
            run.states = kept
                .iter()
                .filter_map(|step| run.states.get(*step).cloned())
                .collect();
            run.entries.retain(|entry| kept.contains(&entry.step));
            for entry in &mut run.entries {
                entry.step = place(entry.step).unwrap_or_default();
            }
            run.signs.retain(|(step, _)| kept.contains(step));
            for (step, _) in &mut run.signs {
                *step = place(*step).unwrap_or_default();
            }
            run
        });
        Self {
            scenario: self.scenario.only(kept),
            runs,
            expected,
        }
    }
}
