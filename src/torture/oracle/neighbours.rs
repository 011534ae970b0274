//! Two objects of one kind in a namespace: whether the operator confuses their children.

use crate::torture::oracle::baseline::Baseline;
use crate::torture::oracle::finding::Finding;
use crate::torture::oracle::finding_builder::FindingBuilder;
use crate::torture::scenario::TWO_OBJECTS;
use crate::torture::snapshot::Difference;

/// Finds objects that disappeared or changed because a second object of the same kind was created
/// or deleted. `run` is the index of the run, 0 or 1, in each baseline.
pub fn disturbed_neighbours(baselines: &[Baseline], run: usize) -> Vec<Finding> {
    let all = baselines.iter();
    let with_two = all.filter(|baseline| baseline.scenario.name == TWO_OBJECTS);
    with_two
        .filter_map(|baseline| disturbed_neighbour(baseline, run))
        .collect()
}

fn disturbed_neighbour(baseline: &Baseline, run: usize) -> Option<Finding> {
    let run_result = &baseline.runs[run];
    // The states after the first steps of `Scenario::two_objects`.
    let [first, both, second, both_again, ..] = &run_result.states[..] else {
        return None;
    };
    if !run_result.rejected_steps().is_empty() || run_result.has_exited(3) {
        return None;
    }
    let builder = FindingBuilder {
        scenario: &baseline.scenario,
        faults: &[],
        run_result,
    };
    // An object that both share may change with the number of objects, and the status of one may
    // report that the other has what it needs.
    let subject = baseline.scenario.subject_id();
    let is_bug = |step: usize, difference: &Difference| {
        let is_child = difference.id.kind != subject.kind;
        difference.field.is_empty() || (step > 1 && is_child)
    };
    let of_second = both.clone().without(|id| first.0.contains_key(id));
    let checks = [
        (1, first, both),
        (2, &of_second, second),
        (3, both, both_again),
    ];
    checks.into_iter().find_map(|(step, expected, found)| {
        let found = found.clone().without(|id| !expected.0.contains_key(id));
        let mut differences = expected.differences(&found, &baseline.expected.mask);
        differences.retain(|difference| is_bug(step, difference));
        builder.build_from_differences(step, differences)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::torture::oracle::finding::Class;
    use crate::torture::run::result::RunResult;
    use crate::torture::scenario::Scenario;
    use crate::torture::snapshot::Snapshot;

    fn cow(name: &str) -> Value {
        json!({"kind": "Cow", "apiVersion": "my.domain/v1", "metadata": {"name": name}, "spec": {}})
    }

    fn map(name: &str, cows: usize) -> Value {
        json!({"kind": "ConfigMap", "metadata": {"name": name}, "data": {"cows": cows.to_string()}})
    }

    /// Returns the finding about an operator that leads to these states after the steps.
    fn found(states: [&[Value]; 6]) -> Option<(Class, String, usize)> {
        let scenario = Scenario::two_objects(&cow("moo"), &[]);
        let states = states.map(|state| Snapshot::of(state, "torture-1"));
        let run_result = RunResult::of_states(states.into());
        let baseline = Baseline::new(scenario, [run_result.clone(), run_result]);
        let found = disturbed_neighbours(&[baseline], 0).pop()?;
        Some((found.class, found.object, found.step))
    }

    #[test]
    fn a_child_that_a_neighbour_takes_away_is_missing() {
        let [first, second] = ["moo", "moo-other"];
        let alone = |name: &str| [cow(name), map(name, 1), map("herd", 1)];
        let (one, other) = (alone(first), alone(second));
        let both = [
            cow(first),
            map(first, 1),
            cow(second),
            map(second, 1),
            map("herd", 2),
        ];
        let right: [&[Value]; 6] = [&one, &both, &other, &both, &other, &[]];
        assert_eq!(found(right), None, "the herd that they share may change");
        let with = |step: usize, state: &[Value]| {
            let mut states: [&[Value]; 6] = right;
            states[step] = state;
            found(states)
        };
        let missing = |name: &str, step| Some((Class::Missing, format!("configmap/{name}"), step));
        let stolen = [cow(first), cow(second), map(second, 1), map("herd", 2)];
        assert_eq!(with(1, &stolen), missing(first, 1));
        assert_eq!(with(3, &stolen), missing(first, 3));
        let deleted = [cow(second), map("herd", 1)];
        assert_eq!(with(2, &deleted), missing(second, 2));
        let mut waiting = cow(second);
        waiting["status"] = json!({"phase": "Waiting"});
        assert_eq!(with(2, &[waiting, map(second, 1)]), None);
        let changed = [cow(second), map(second, 9), map("herd", 1)];
        let not_updated = (Class::NotUpdated, "configmap/moo-other".to_owned(), 2);
        assert_eq!(with(2, &changed), Some(not_updated));
    }
}
