//! The baseline of a scenario: two runs without faults.

use crate::torture::journal;
use crate::torture::run::result::{ExpectedStates, RunResult};
use crate::torture::scenario::Scenario;
use crate::torture::snapshot::Mask;

/// The two runs of a scenario without faults, and the states that other runs must reach.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// The scenario, with the steps that both runs completed.
    pub scenario: Scenario,
    pub runs: [RunResult; 2],
    /// The states of the first run, without the fields that differ in the second one.
    pub expected: ExpectedStates,
}

impl Baseline {
    /// Compares two runs to find the fields that differ each time. Drops the steps that only one of
    /// the runs reached, or none.
    pub fn new(mut scenario: Scenario, mut runs: [RunResult; 2]) -> Self {
        let completed = runs.iter().map(|run| run.states.len()).min().unwrap_or(0);
        scenario.steps.truncate(completed);
        for run in &mut runs {
            run.states.truncate(completed);
        }
        let mut mask = Mask::default();
        let pairs = runs[0].states.iter().zip(&runs[1].states);
        for (one, other) in pairs {
            let mut differences = one.differences(other, &mask);
            // The existence of an object must be reproducible.
            differences.retain(|difference| !difference.field.is_empty());
            mask.hide(&differences);
        }
        let hot_loops = runs.iter().flat_map(RunResult::hot_loop_steps).collect();
        let expected = ExpectedStates {
            states: runs[0].states.clone(),
            hot_loops,
            mask,
        };
        Self {
            scenario,
            runs,
            expected,
        }
    }

    /// Reports whether both runs reached the end of the scenario.
    pub fn is_whole(&self) -> bool {
        self.runs.iter().all(|run| run.is_complete)
    }

    /// Reports whether the API server rejected a write of the operator in a run.
    pub fn has_refusals(&self) -> bool {
        let entries = self.runs.iter().map(|run| &run.entries);
        let mut requests = entries.flat_map(|entries| journal::requests(entries));
        requests.any(|(_, request)| request.call.is_work() && request.is_refused())
    }

    /// Reports whether the number of children or of their replicas differs between steps, while the
    /// object exists.
    pub fn changes_child_count(&self) -> bool {
        const NUMBERS: [&str; 3] = ["eplicas", "parallelism", "completions"];
        let states = self.expected.states.iter().enumerate();
        let numbers = states.filter(|(step, _)| !self.scenario.ends_without_object(*step));
        let numbers = numbers.map(|(_, state)| {
            let of_children = state.0.iter();
            let of_children = of_children.filter(|(id, _)| **id != self.scenario.subject_id());
            let fields = of_children.clone().flat_map(|(_, fields)| fields);
            let counted =
                fields.filter(|(field, _)| NUMBERS.iter().any(|end| field.ends_with(end)));
            (of_children.count(), counted.collect::<Vec<_>>())
        });
        let numbers: Vec<_> = numbers.collect();
        numbers.windows(2).any(|two| two[0] != two[1])
    }

    /// Returns the baseline reduced to the steps with the indices `kept`.
    #[must_use]
    pub fn only(&self, kept: &[usize]) -> Self {
        let place = |step: usize| kept.iter().position(|kept| *kept == step);
        let mut expected = self.expected.clone();
        expected.states = kept
            .iter()
            .map(|step| self.expected.states[*step].clone())
            .collect();
        expected.hot_loops = self
            .expected
            .hot_loops
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
            run.symptoms.retain(|(step, _)| kept.contains(step));
            for (step, _) in &mut run.symptoms {
                *step = place(*step).unwrap_or_default();
            }
            run
        });
        Self {
            scenario: self.scenario.with_steps(kept),
            runs,
            expected,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::torture::scenario::SpecVariant;
    use crate::torture::snapshot::Snapshot;

    #[test]
    fn a_field_counts_if_there_is_more_of_something_for_it() {
        let cow = json!({"kind": "Cow", "apiVersion": "my.domain/v1", "metadata": {"name": "moo"}, "spec": {"x": 1}});
        let variant = SpecVariant {
            field: "spec.x".into(),
            description: "spec.x is 2".into(),
            spec: json!({ "x": 2 }),
        };
        // The steps: create, change, change back, delete.
        let scenario = Scenario::field(&cow, &[], "spec.x", &[variant]);
        let counts = |child: fn(i32) -> Vec<Value>| {
            let state = |x: i32| Snapshot::of(child(x).iter().chain([&cow]), "t");
            let run_result =
                RunResult::of_states(vec![state(1), state(2), state(1), Snapshot::default()]);
            Baseline::new(scenario.clone(), [run_result.clone(), run_result]).changes_child_count()
        };
        assert!(!counts(|_| Vec::new()), "that it goes is no matter");
        assert!(!counts(|x| vec![
            json!({"kind": "ConfigMap", "metadata": {"name": "moo"}, "data": {"x": x}})
        ]));
        assert!(counts(|x| vec![
            json!({"kind": "Deployment", "metadata": {"name": "moo"}, "spec": {"replicas": x}})
        ]));
        assert!(counts(|x| (0..x)
            .map(|n| json!({"kind": "Pod", "metadata": {"name": format!("moo-{n}")}}))
            .collect()));
    }
}
