//! Ownership checks: whether the operator changes objects or finalizers of other owners.

use crate::torture::oracle::baseline::Baseline;
use crate::torture::oracle::finding::{Class, Finding};
use crate::torture::oracle::finding_builder::FindingBuilder;
use crate::torture::scenario::{Action, LIFE, LOOKALIKES};
use crate::torture::snapshot::Mask;

/// Finds an object of another owner that the operator changed or deleted. Returns `None` for a
/// scenario without such objects.
pub fn adopted(builder: &FindingBuilder) -> Option<Finding> {
    builder
        .scenario
        .steps
        .iter()
        .position(|step| matches!(step.action, Action::ForeignObjects { .. }))?;
    let strangers = builder.run_result.states.first()?;
    for (step, state) in builder.run_result.states.iter().enumerate().skip(1) {
        let now = state.clone().without(|id| !strangers.0.contains_key(id));
        let differences = strangers.differences(&now, &Mask::default());
        if let Some(first) = differences
            .iter()
            .min_by_key(|difference| difference.expected.is_none())
        {
            let (object, message) = (first.id.to_string(), format!("another owner's {first}"));
            return Some(builder.build(Class::Adopted, &object, step, message, differences));
        }
    }
    None
}

/// Finds that the scenario's object disappeared although another client's finalizer was set.
pub fn released_despite_finalizer(builder: &FindingBuilder) -> Option<Finding> {
    let mut steps = builder.scenario.steps.iter();
    let held = steps.position(|step| step.action == Action::Hold)?;
    let is_released = |step: usize| builder.scenario.steps[step].action == Action::Release;
    let subject = builder.scenario.subject_id();
    let states = builder.run_result.states.iter().enumerate().skip(held);
    let mut until = states.take_while(|(step, _)| !is_released(*step));
    let (step, _) = until.find(|(_, state)| !state.0.contains_key(&subject))?;
    let message = format!("{subject} is gone, although another client's finalizer was set");
    let object = subject.to_string();
    Some(builder.build(Class::ForeignFinalizer, &object, step, message, Vec::new()))
}

/// Finds children that are missing because the operator counts another owner's objects with the
/// same labels as its own. `run` is the index of the run, 0 or 1, in each baseline.
pub fn miscounted_foreign_objects(baselines: &[Baseline], run: usize) -> Vec<Finding> {
    let called = |name: &'static str| {
        let all = baselines.iter();
        all.filter(move |baseline| baseline.scenario.name == name)
    };
    let miscounted_foreign_objects = |baseline: &Baseline| {
        let scenario = &baseline.scenario;
        let alone = called(LIFE).find(|life| life.scenario.subject == scenario.subject)?;
        let run_result = &baseline.runs[run];
        let [theirs, all, ..] = &run_result.states[..] else {
            return None;
        };
        if !run_result.rejected_steps().is_empty() || run_result.has_exited(1) {
            return None;
        }
        let is_theirs = |id: &_| theirs.0.contains_key(id);
        let expected = alone.runs[run].states.first()?.clone().without(is_theirs);
        let found = all.clone().without(is_theirs);
        let mut missing = expected.differences(&found, &alone.expected.mask);
        missing.retain(|difference| difference.field.is_empty() && difference.expected.is_some());
        let first = missing.first()?;
        let message = format!("{first} where others have objects with the same labels");
        let builder = FindingBuilder {
            scenario,
            faults: &[],
            run_result,
        };
        Some(builder.build(
            Class::Adopted,
            &first.id.to_string(),
            1,
            message,
            missing.clone(),
        ))
    };
    called(LOOKALIKES)
        .filter_map(miscounted_foreign_objects)
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::torture::run::result::RunResult;
    use crate::torture::scenario::Scenario;
    use crate::torture::snapshot::Snapshot;

    fn subject() -> Value {
        json!({"kind": "Cow", "apiVersion": "my.domain/v1", "metadata": {"name": "moo"}, "spec": {}})
    }

    fn pod(name: &str) -> Value {
        json!({"kind": "Pod", "metadata": {"name": name}})
    }

    fn run_result(states: &[&[Value]]) -> RunResult {
        RunResult::of_states(states.iter().map(|it| Snapshot::of(*it, "t")).collect())
    }

    #[test]
    fn who_is_held_stays_until_it_is_released() {
        let held = Scenario::held_deletion(&subject(), &[], &[]);
        let found = |while_held: &[Value]| {
            let run_result = run_result(&[&[subject()], while_held, &[]]);
            let builder = FindingBuilder {
                scenario: &held,
                faults: &[],
                run_result: &run_result,
            };
            released_despite_finalizer(&builder).map(|finding| (finding.class, finding.step))
        };
        assert_eq!(found(&[subject()]), None);
        assert_eq!(found(&[]), Some((Class::ForeignFinalizer, 1)));
    }

    #[test]
    fn who_counts_what_is_not_its_own_makes_too_little() {
        let (cow, theirs) = (subject(), pod("other-owner-pod"));
        let life = Scenario::life(&cow, &[], &[]);
        let lookalikes = Scenario::foreign_objects(&cow, &[], &[], false);
        let alone = run_result(&[&[cow.clone(), pod("moo-0"), pod("moo-1")]]);
        let life = Baseline::new(life, [alone.clone(), alone]);
        let found = |made: &[Value]| {
            let with = [&[cow.clone(), theirs.clone()], made].concat();
            let others = std::slice::from_ref(&theirs);
            let lookalike_runs = run_result(&[others, &with, others]);
            let lookalike_runs =
                Baseline::new(lookalikes.clone(), [lookalike_runs.clone(), lookalike_runs]);
            let findings = miscounted_foreign_objects(&[life.clone(), lookalike_runs], 0);
            findings.first().map(|finding| finding.object.clone())
        };
        assert_eq!(found(&[pod("moo-0"), pod("moo-1")]), None);
        assert_eq!(found(&[pod("moo-0")]).as_deref(), Some("pod/moo-1"));
    }
}
