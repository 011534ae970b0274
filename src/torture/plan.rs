//! Which faults are tried in which scenarios, and in which order.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::call::{Resource, Verb};
use super::derive::{derive, order};
use super::fault::{AtWrite, Fault};
use super::journal;
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
    random: Random,
) -> (Vec<Job>, usize) {
    let mut faults = Vec::new();
    for reference in references.iter().filter(|reference| is_steady(reference)) {
        let runs = reference
            .runs
            .each_ref()
            .map(|run| (&run.entries[..], run.namespace.as_str()));
        let scenario = &reference.scenario;
        let derived = derive(runs, own, |step| scenario.can_be_overtaken(step));
        let last = reference.runs[0].states.len();
        faults.extend(
            derived
                .into_iter()
                .filter(|fault| fault.steps().all(|step| step < last))
                .map(|fault| (reference.clone(), fault)),
        );
    }
    let planned = faults.len();
    let singles = order(
        faults,
        |reference, fault| reference.scenario.rank(fault, removes(reference, fault)),
        likeness,
        |reference, fault| random.of(&named(reference, fault)),
    );
    let mut plan: Vec<Job> = singles
        .into_iter()
        .map(|(reference, fault)| (reference, vec![fault]))
        .collect();
    plan.extend(pairs(&plan, random));
    plan.truncate(most);
    (plan, planned)
}

/// Whether the operator deletes something where a fault is done.
fn removes(reference: &Reference, fault: &Fault) -> bool {
    if let Fault::Write(_, point) = fault {
        return point.verb == Verb::Delete;
    }
    reference.runs.iter().all(|run| {
        let mut requests = journal::requests(&run.entries);
        requests.any(|(step, request)| {
            step == fault.step() && request.call.verb == Verb::Delete && request.succeeded()
        })
    })
}

/// Faults of one likeness are not worth as much as those of several.
fn likeness(reference: &Arc<Reference>, fault: &Fault) -> String {
    let scenario = &reference.scenario;
    let act = scenario.steps[fault.step()].act.name();
    match fault {
        Fault::Write(AtWrite::Overtaken, _) => {
            let next = scenario.steps.get(fault.step() + 1);
            let next = next.map_or("", |next| next.act.name());
            format!("{act} {next} {}", fault.aim())
        }
        // Who is not at work misses something else in each field.
        Fault::Restart(..) => format!("{act} {}", scenario.name),
        // The second write of a step may be about something else than the first one.
        _ => format!("{act} {} {}", fault.aim(), fault.occurrence().min(1)),
    }
}

/// A fault, and what it is done in.
pub fn named(reference: &Reference, fault: &Fault) -> String {
    let scenario = &reference.scenario;
    let step = &scenario.steps[fault.step()].says;
    format!("{}: {step}: {fault}", scenario.name)
}

/// Two faults at once, as many as there are single ones: each with another one of its scenario.
fn pairs(
    singles: &[(Arc<Reference>, Vec<Fault>)],
    random: Random,
) -> Vec<(Arc<Reference>, Vec<Fault>)> {
    struct Single<'a> {
        reference: &'a Arc<Reference>,
        fault: &'a Fault,
        number: u64,
    }
    let each = singles.iter().map(|(reference, faults)| Single {
        reference,
        fault: &faults[0],
        number: random.of(&named(reference, &faults[0])),
    });
    let each: Vec<_> = each.collect();
    let pair = |first: &Single| {
        let others = each.iter().filter(|other| {
            Arc::ptr_eq(other.reference, first.reference) && other.fault != first.fault
        });
        let second = others.min_by_key(|other| random.of_both(first.number, other.number))?;
        let both = vec![first.fault.clone(), second.fault.clone()];
        Some((first.reference.clone(), both))
    };
    each.iter().filter_map(pair).collect()
}

/// No more of the scenario than the faults need.
pub fn around(reference: &Reference, faults: &[Fault]) -> (Reference, Vec<Fault>) {
    let steps: Vec<usize> = faults.iter().flat_map(Fault::steps).collect();
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
    let scenario = &reference.scenario;
    let mut pairs = one.states.iter().zip(&other.states);
    !scenario.is_about_others()
        && !scenario.is_at_limits()
        && pairs.all(|(one, other)| one.differences(other, &reference.expected.mask).is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::torture::call::Call;
    use crate::torture::journal::{Entry, Request, What};
    use crate::torture::played::Played;
    use crate::torture::scenario::Scenario;
    use crate::torture::state::State;

    /// A run of an operator that has a Pod and a status, and hears of both.
    fn recorded(namespace: &str, steps: usize) -> Played {
        let of_step = |step: usize| {
            let entry = move |what| Entry {
                at: std::time::Duration::from_millis(step as u64),
                step,
                what,
            };
            let request = |method: &str, path: &str, status: u16| {
                let target = format!("/{path}").replace("NAMESPACE", namespace);
                let call = Call::parse(method, &target).unwrap();
                let body = json!({ "metadata": { "name": "moo" } });
                What::Request(Box::new(Request {
                    status,
                    ..Request::new(call, body)
                }))
            };
            let news = What::News {
                resource: "pods".into(),
                change: "ADDED".into(),
                name: "moo".into(),
            };
            [
                What::Step(format!("step {step}")),
                request("GET", "api/v1/pods?watch=1", 200),
                request("POST", "api/v1/namespaces/NAMESPACE/pods", 201),
                request("PATCH", "api/v1/namespaces/NAMESPACE/pods/moo", 200),
                news,
            ]
            .map(entry)
        };
        Played {
            namespace: namespace.to_owned(),
            entries: (0..steps).flat_map(of_step).collect(),
            ..Played::through(vec![State::default(); steps])
        }
    }

    #[test]
    fn two_campaigns_over_the_same_runs_do_the_same_faults() {
        let subject = json!({"kind": "Cow", "metadata": {"name": "moo"}, "spec": {"x": 0}});
        let life = Scenario::life(&subject, &[], &[]);
        let steps = life.steps.len();
        let planned = |seed, names: [&str; 2]| {
            let runs = names.map(|name| recorded(name, steps));
            let reference = Arc::new(Reference::new(life.clone(), runs));
            let (jobs, singles) = plan(
                &[reference],
                &BTreeSet::new(),
                usize::MAX,
                Random::new(seed),
            );
            assert!(singles > 0 && jobs.len() > singles, "{singles} and pairs");
            jobs.into_iter()
                .map(|(_, faults)| faults)
                .collect::<Vec<_>>()
        };
        // Namespaces are other ones each time.
        assert_eq!(planned(7, ["t-1", "t-2"]), planned(7, ["t-3", "t-4"]));
        assert_ne!(planned(7, ["t-1", "t-2"]), planned(8, ["t-1", "t-2"]));
    }
}
