//! What is somebody else's, and whether the operator leaves it alone.

use crate::torture::oracle::baseline::Reference;
use crate::torture::oracle::finding::{Class, Finding};
use crate::torture::oracle::finding_builder::Maker;
use crate::torture::scenario::{Action, LIFE, LOOKALIKES};
use crate::torture::snapshot::Mask;

/// Whether what was somebody else's is as it was.
pub fn adopted(maker: &Maker) -> Option<Finding> {
    maker
        .scenario
        .steps
        .iter()
        .position(|step| matches!(step.action, Action::ForeignObjects { .. }))?;
    let strangers = maker.played.states.first()?;
    for (step, state) in maker.played.states.iter().enumerate().skip(1) {
        let now = state.clone().without(|id| !strangers.0.contains_key(id));
        let differences = strangers.differences(&now, &Mask::default());
        if let Some(first) = differences
            .iter()
            .min_by_key(|difference| difference.expected.is_none())
        {
            let (object, says) = (first.id.to_string(), format!("somebody else's {first}"));
            return Some(maker.make(Class::Adopted, &object, step, says, differences));
        }
    }
    None
}

/// Whether the object goes though somebody holds it.
pub fn let_go(maker: &Maker) -> Option<Finding> {
    let mut steps = maker.scenario.steps.iter();
    let held = steps.position(|step| step.action == Action::Hold)?;
    let is_released = |step: usize| maker.scenario.steps[step].action == Action::Release;
    let subject = maker.scenario.subject_id();
    let states = maker.played.states.iter().enumerate().skip(held);
    let mut until = states.take_while(|(step, _)| !is_released(*step));
    let (step, _) = until.find(|(_, state)| !state.0.contains_key(&subject))?;
    let says = format!("{subject} is gone, though a finalizer of somebody else's held it");
    let object = subject.to_string();
    Some(maker.make(Class::ForeignFinalizer, &object, step, says, Vec::new()))
}

/// Whether the operator takes what only looks like its own for its own, and so makes less than without it.
pub fn mistaken(references: &[Reference], run: usize) -> Vec<Finding> {
    let called = |name: &'static str| {
        let all = references.iter();
        all.filter(move |reference| reference.scenario.name == name)
    };
    let mistaken = |reference: &Reference| {
        let scenario = &reference.scenario;
        let alone = called(LIFE).find(|life| life.scenario.subject == scenario.subject)?;
        let played = &reference.runs[run];
        let [theirs, all, ..] = &played.states[..] else {
            return None;
        };
        if !played.rejected_steps().is_empty() || played.has_exited(1) {
            return None;
        }
        let is_theirs = |id: &_| theirs.0.contains_key(id);
        let expected = alone.runs[run].states.first()?.clone().without(is_theirs);
        let found = all.clone().without(is_theirs);
        let mut missing = expected.differences(&found, &alone.expected.mask);
        missing.retain(|difference| difference.field.is_empty() && difference.expected.is_some());
        let first = missing.first()?;
        let says = format!("{first} where others have objects with the same labels");
        let maker = Maker {
            scenario,
            faults: &[],
            played,
        };
        Some(maker.make(
            Class::Adopted,
            &first.id.to_string(),
            1,
            says,
            missing.clone(),
        ))
    };
    called(LOOKALIKES).filter_map(mistaken).collect()
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

    fn played(states: &[&[Value]]) -> RunResult {
        RunResult::of_states(states.iter().map(|it| Snapshot::of(*it, "t")).collect())
    }

    #[test]
    fn who_is_held_stays_until_it_is_released() {
        let held = Scenario::held(&subject(), &[], &[]);
        let found = |while_held: &[Value]| {
            let played = played(&[&[subject()], while_held, &[]]);
            let maker = Maker {
                scenario: &held,
                faults: &[],
                played: &played,
            };
            let_go(&maker).map(|finding| (finding.class, finding.step))
        };
        assert_eq!(found(&[subject()]), None);
        assert_eq!(found(&[]), Some((Class::ForeignFinalizer, 1)));
    }

    #[test]
    fn who_counts_what_is_not_its_own_makes_too_little() {
        let (cow, theirs) = (subject(), pod("somebody-else-pod"));
        let life = Scenario::life(&cow, &[], &[]);
        let lookalikes = Scenario::foreign_objects(&cow, &[], &[], false);
        let alone = played(&[&[cow.clone(), pod("moo-0"), pod("moo-1")]]);
        let life = Reference::new(life, [alone.clone(), alone]);
        let found = |made: &[Value]| {
            let with = [&[cow.clone(), theirs.clone()], made].concat();
            let others = std::slice::from_ref(&theirs);
            let beside = played(&[others, &with, others]);
            let beside = Reference::new(lookalikes.clone(), [beside.clone(), beside]);
            let findings = mistaken(&[life.clone(), beside], 0);
            findings.first().map(|finding| finding.object.clone())
        };
        assert_eq!(found(&[pod("moo-0"), pod("moo-1")]), None);
        assert_eq!(found(&[pod("moo-0")]).as_deref(), Some("pod/moo-1"));
    }
}
