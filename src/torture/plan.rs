//! Which faults are tried in which scenarios, and in which order.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::call::Resource;
use super::derive::{derive, order};
use super::fault::Fault;
use super::random::Random;
use super::reference::Reference;

/// A scenario, and what goes wrong in it.
pub type Job = (Arc<Reference>, Vec<Fault>);

/// Each fault that the runs without suggest, and then pairs of them.
///
/// The number is that of the single ones.
pub fn plan(
    references: &[Arc<Reference>],
    own: &BTreeSet<Resource>,
    most: usize,
    random: &mut Random,
) -> (Vec<Job>, usize) {
    let mut faults = Vec::new();
    for reference in references.iter().filter(|reference| is_steady(reference)) {
        let runs = reference
            .runs
            .each_ref()
            .map(|run| (&run.entries[..], run.namespace.as_str()));
        let derived = derive(runs, own);
        let last = reference.runs[0].states.len();
        faults.extend(
            derived
                .into_iter()
                .filter(|fault| fault.step() < last)
                .map(|fault| (reference.clone(), fault)),
        );
    }
    let planned = faults.len();
    let singles = order(
        faults,
        |reference, fault| reference.scenario.rank(fault),
        |reference, fault| {
            let act = reference.scenario.steps[fault.step()].act.name();
            format!("{act} {}", fault.aim())
        },
        random,
    );
    let mut plan: Vec<Job> = singles
        .into_iter()
        .map(|(reference, fault)| (reference, vec![fault]))
        .collect();
    plan.extend(pairs(&plan, random));
    plan.truncate(most);
    (plan, planned)
}

/// Two faults at once, as many as there are single ones.
fn pairs(
    singles: &[(Arc<Reference>, Vec<Fault>)],
    random: &mut Random,
) -> Vec<(Arc<Reference>, Vec<Fault>)> {
    let mut pairs = Vec::new();
    for _ in 0..singles.len() {
        let (reference, first) = &singles[random.below(singles.len())];
        let same: Vec<_> = singles
            .iter()
            .filter(|(other, _)| Arc::ptr_eq(other, reference))
            .collect();
        let (_, second) = same[random.below(same.len())];
        if first != second {
            pairs.push((reference.clone(), [first.clone(), second.clone()].concat()));
        }
    }
    pairs
}

/// No more of the scenario than the faults need.
pub fn around(reference: &Reference, faults: &[Fault]) -> (Reference, Vec<Fault>) {
    let steps: Vec<usize> = faults.iter().map(Fault::step).collect();
    let kept = reference.scenario.around(&steps);
    let moved = faults
        .iter()
        .filter_map(|fault| fault.moved(&kept))
        .collect();
    (reference.only(&kept), moved)
}

/// Only what is the same twice can be expected a third time.
fn is_steady(reference: &Reference) -> bool {
    let [one, other] = &reference.runs;
    let strange = reference.scenario.name == "names taken"
        || reference.scenario.name == "lookalikes"
        || reference.scenario.name == "held deletion";
    let mut pairs = one.states.iter().zip(&other.states);
    !strange
        && pairs.all(|(one, other)| one.differences(other, &reference.expected.mask).is_empty())
}
