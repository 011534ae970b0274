//! What runs without faults show beside each other.

use std::collections::BTreeMap;

use super::alone::made;
use super::finding::{Class, Finding};
use super::journal;
use super::maker::{Maker, subject};
use super::played::{Played, Sign};
use super::reference::Reference;
use super::scenario::{Act, GONE, LIFE};
use super::state::{Difference, Mask, State};

/// A state that is reached by two roads is one state.
pub fn roads(references: &[Reference], run: usize) -> Vec<Finding> {
    let mut best: BTreeMap<&str, (&Reference, usize)> = BTreeMap::new();
    let usable = |reference: &Reference, step: usize| {
        let played = &reference.runs[run];
        step < played.states.len()
            && !played.refused().contains(&step)
            && !has_refusals(played, step)
            && !is_forbidden(played, step)
            && !played.has_ended(step)
    };
    let steps = || {
        references.iter().flat_map(|reference| {
            let steps = reference.scenario.steps.iter().enumerate();
            steps
                .filter_map(move |(step, is)| Some((reference, step, is.road.as_deref()?, &is.act)))
        })
    };
    for (reference, step, road, act) in steps().filter(|(_, _, road, _)| *road != GONE) {
        // The straight road: made like this, with nothing before.
        let straight = step == 0 && matches!(act, Act::Create(_));
        let anew = matches!(act, Act::Create(_));
        if usable(reference, step) && (straight || (anew && !best.contains_key(road))) {
            best.entry(road).or_insert((reference, step));
        }
    }
    let mut findings = Vec::new();
    for (reference, step, road, _) in steps() {
        let Some((other, at)) = best.get(road) else {
            continue;
        };
        let same = std::ptr::eq(*other, reference) && *at == step;
        let is_back = reference.scenario.steps[step].act
            == Act::Set(reference.scenario.subject["spec"].clone());
        if same
            || step >= reference.runs[run].states.len()
            || !(usable(reference, step) || (is_back && !reference.runs[run].has_ended(step)))
        {
            continue;
        }
        let expected = &other.runs[run].states[*at];
        let found = &reference.runs[run].states[step];
        let mut mask = other.expected.mask.clone();
        mask.learn(&chance(reference));
        let differences = expected.differences(found, &mask);
        let maker = Maker {
            scenario: &reference.scenario,
            faults: &[],
            played: &reference.runs[run],
        };
        findings.extend(maker.of_differences(step, differences));
    }
    findings
}

/// What two runs of a scenario did not agree on.
fn chance(reference: &Reference) -> Vec<Difference> {
    let [one, other] = reference.runs.each_ref().map(|run| &run.states);
    let pairs = one.iter().zip(other);
    pairs
        .flat_map(|(one, other)| one.differences(other, &Mask::default()))
        .filter(|d| !d.field.is_empty())
        .collect()
}

/// Whether the API server refused something that the operator wrote in a step: then it cannot be expected
/// to be done.
fn has_refusals(played: &Played, step: usize) -> bool {
    let mut requests = journal::requests(&played.entries);
    requests.any(|(at, request)| {
        at == step && request.call.is_work() && [400, 422].contains(&request.status)
    })
}

/// Whether the operator may not do what a step takes: that is what is wrong, and not what follows from it.
fn is_forbidden(played: &Played, step: usize) -> bool {
    let mut signs = played.signs.iter();
    signs.any(|(at, sign)| *at == step && matches!(sign, Sign::Forbidden(_)))
}

/// Fields of which nothing comes, where something comes of others.
pub fn without_effect(references: &[Reference], run: usize, is_alone: bool) -> Vec<Finding> {
    let mut effects: BTreeMap<&str, (bool, &Reference, usize)> = BTreeMap::new();
    for reference in references {
        let field = reference.scenario.name.trim_end_matches(", made anew");
        let Some(base) = references.iter().find(|other| other.scenario.name == LIFE) else {
            return Vec::new();
        };
        if !field.starts_with("spec.") || base.scenario.subject != reference.scenario.subject {
            continue;
        }
        let id = subject(&reference.scenario);
        let beside_spec = |state: &State| {
            let mut state = state.clone();
            if let Some(fields) = state.0.get_mut(&id) {
                fields.retain(|name, _| !name.starts_with("spec"));
            }
            state
        };
        let Some(first) = base.runs[run].states.first() else {
            continue;
        };
        // Who makes nothing, or somewhere else, shows nothing of a field.
        if made(&base.scenario, first)
            .0
            .keys()
            .all(|other| *other == id)
        {
            continue;
        }
        let played = &reference.runs[run];
        let steps = reference.scenario.steps.iter().enumerate();
        for (step, is) in steps.filter(|(_, step)| matches!(step.act, Act::Set(_) | Act::Create(_)))
        {
            let (Act::Set(spec) | Act::Create(spec)) = &is.act else {
                continue;
            };
            let Some(state) = played.states.get(step) else {
                continue;
            };
            if *spec == reference.scenario.subject["spec"] || played.refused().contains(&step) {
                continue;
            }
            let differs = !beside_spec(first)
                .differences(&beside_spec(state), &base.expected.mask)
                .is_empty();
            let effect = effects.entry(field).or_insert((false, reference, step));
            effect.0 |= differs || has_refusals(played, step);
        }
    }
    let any = is_alone || effects.values().any(|(effect, ..)| *effect);
    let without = effects
        .into_iter()
        .filter(|(_, (effect, ..))| any && !effect);
    without
        .map(|(field, (_, reference, step))| {
            let maker = Maker {
                scenario: &reference.scenario,
                faults: &[],
                played: &reference.runs[run],
            };
            let says = format!(
                "{field} has been changed, and neither a child nor the status is any different"
            );
            maker.make(Class::FieldWithoutEffect, field, step, says, Vec::new())
        })
        .collect()
}
