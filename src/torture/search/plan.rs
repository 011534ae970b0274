//! The plan of a campaign: the faults, their scenarios, and their order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::torture::api::call::{Resource, Verb};
use crate::torture::fault::candidates::{candidates, prioritize};
use crate::torture::fault::injection_points::injection_points;
use crate::torture::fault::{Fault, WriteFault};
use crate::torture::journal;
use crate::torture::oracle::baseline::Baseline;
use crate::torture::random::Random;
use crate::torture::search::coverage::{Coverage, in_each};

/// A baseline, and the faults for one run of its scenario.
pub type PlannedRun = (Arc<Baseline>, Vec<Fault>);

/// A baseline, and one fault for its scenario.
type Single = (Arc<Baseline>, Fault);

/// The number of faults at the front of a plan among which each kind of write to children occurs.
const FRONT: usize = 20;

/// Returns at most `most` runs: one for each fault that the baselines suggest, then pairs of
/// faults. Records in `coverage` which writes and faults can be tested. Also returns the number of
/// single faults that the baselines suggest. `own` are the operator's custom resources.
pub fn plan(
    baselines: &[Arc<Baseline>],
    own: &BTreeSet<Resource>,
    most: usize,
    random: Random,
    coverage: &mut Coverage,
) -> (Vec<PlannedRun>, usize) {
    let mut faults = Vec::new();
    for baseline in baselines {
        let scenario = &baseline.scenario;
        if scenario.is_about_foreign_objects() || scenario.is_at_limits() {
            continue;
        }
        coverage.expect_writes(writes(baseline));
        if !is_steady(baseline) {
            continue;
        }
        let possible = possible_faults(baseline, own, |step| scenario.can_be_overtaken(step));
        faults.extend(possible.into_iter().map(|fault| (baseline.clone(), fault)));
    }
    for (_, fault) in &faults {
        coverage.expect_fault(fault);
    }
    let planned = faults.len();
    let singles = prioritize(
        faults,
        |baseline, fault| baseline.scenario.rank(fault, removes(baseline, fault)),
        similarity,
        |baseline, fault| random.of(&named(baseline, fault)),
    );
    let mut plan: Vec<PlannedRun> = children_first(singles, own)
        .into_iter()
        .map(|(baseline, fault)| (baseline, vec![fault]))
        .collect();
    plan.extend(pairs(&plan, random));
    plan.truncate(most);
    (plan, planned)
}

/// Returns the faults that a baseline suggests, in the steps that its first run completed. For
/// `own` and `can_be_overtaken`, see [`candidates`].
pub fn possible_faults(
    baseline: &Baseline,
    own: &BTreeSet<Resource>,
    can_be_overtaken: impl Fn(usize) -> bool,
) -> Vec<Fault> {
    let runs = baseline
        .runs
        .each_ref()
        .map(|run| (&run.entries[..], run.namespace.as_str()));
    let last = baseline.runs[0].states.len();
    let mut faults = candidates(runs, own, can_be_overtaken);
    faults.retain(|fault| fault.steps().all(|step| step < last));
    faults
}

/// Returns the kinds of write that both runs of a scenario have, in the steps that both reached.
fn writes(baseline: &Baseline) -> BTreeSet<String> {
    let last = baseline.expected.states.len();
    in_each(baseline.runs.iter().map(|run| {
        let points = injection_points(&run.entries, &run.namespace).into_keys();
        let in_time = points.filter(|point| point.step < last);
        in_time.map(|point| point.kind()).collect()
    }))
}

/// Returns the kind of write to a child that a fault is injected into.
fn write_to_child(fault: &Fault, own: &BTreeSet<Resource>) -> Option<String> {
    let Fault::Write(_, point) = fault else {
        return None;
    };
    // An object that the operator creates or deletes is a child, whatever its kind.
    let comes_or_goes = matches!(
        point.verb,
        Verb::Create | Verb::Delete | Verb::DeleteCollection
    );
    (comes_or_goes || !own.contains(&point.resource)).then(|| point.kind())
}

/// Moves one fault for each kind of write to children to the front, before any second one for the
/// same kind. It is then among the first [`FRONT`] faults, unless there are more kinds. Faults of
/// other kinds keep their places between them.
fn children_first(singles: Vec<Single>, own: &BTreeSet<Resource>) -> Vec<Single> {
    let mut kinds: Vec<(String, Vec<usize>)> = Vec::new();
    for (index, (_, fault)) in singles.iter().enumerate() {
        let Some(kind) = write_to_child(fault, own) else {
            continue;
        };
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, indices)) => indices.push(index),
            None => kinds.push((kind, vec![index])),
        }
    }
    // Kinds of write get different kinds of fault as far as possible.
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    let mut firsts = BTreeSet::new();
    for (_, indices) in &kinds {
        let times = |index: &usize| used.get(singles[*index].1.class()).copied();
        let Some(index) = indices
            .iter()
            .copied()
            .min_by_key(|index| (times(index).unwrap_or(0), *index))
        else {
            continue;
        };
        *used.entry(singles[index].1.class()).or_default() += 1;
        firsts.insert(index);
    }
    let all = || 0..singles.len();
    let is_other = |index: &usize| write_to_child(&singles[*index].1, own).is_none();
    let between = FRONT.saturating_sub(firsts.len());
    let mut others = all()
        .filter(is_other)
        .take(between)
        .collect::<Vec<_>>()
        .into_iter();
    let mut ranks: BTreeMap<usize, usize> = BTreeMap::new();
    for index in firsts {
        for index in others.next().into_iter().chain([index]) {
            let rank = ranks.len();
            ranks.insert(index, rank);
        }
    }
    let mut numbered: Vec<_> = singles.into_iter().enumerate().collect();
    let last = ranks.len();
    numbered.sort_by_key(|(index, _)| ranks.get(index).copied().unwrap_or(last));
    numbered.into_iter().map(|(_, single)| single).collect()
}

/// Reports whether the operator deletes an object where a fault is injected.
fn removes(baseline: &Baseline, fault: &Fault) -> bool {
    if let Fault::Write(_, point) = fault {
        return point.verb == Verb::Delete;
    }
    baseline.runs.iter().all(|run| {
        let mut requests = journal::requests(&run.entries);
        requests.any(|(step, request)| {
            step == fault.step() && request.call.verb == Verb::Delete && request.succeeded()
        })
    })
}

/// Returns a key of similar faults: a plan prefers faults of different keys.
fn similarity(baseline: &Arc<Baseline>, fault: &Fault) -> String {
    let scenario = &baseline.scenario;
    let act = scenario.steps[fault.step()].action.name();
    match fault {
        Fault::Write(WriteFault::Overtaken, _) => {
            let next = scenario.steps.get(fault.step() + 1);
            let next = next.map_or("", |next| next.action.name());
            format!("{act} {next} {}", fault.target())
        }
        // An operator that is down misses a different change in each scenario.
        Fault::Restart(..) => format!("{act} {}", scenario.name),
        // The second write of a step may have another purpose than the first one.
        _ => format!("{act} {} {}", fault.target(), fault.occurrence().min(1)),
    }
}

/// Describes a fault with its scenario and step: `spec.replicas: spec.replicas is 3: killed before
/// …`.
pub fn named(baseline: &Baseline, fault: &Fault) -> String {
    let scenario = &baseline.scenario;
    let step = &scenario.steps[fault.step()].description;
    format!("{}: {step}: {fault}", scenario.name)
}

/// Returns pairs of faults for one run: each fault with another one of its scenario.
fn pairs(
    singles: &[(Arc<Baseline>, Vec<Fault>)],
    random: Random,
) -> Vec<(Arc<Baseline>, Vec<Fault>)> {
    struct Single<'a> {
        baseline: &'a Arc<Baseline>,
        fault: &'a Fault,
        number: u64,
    }
    let each = singles.iter().map(|(baseline, faults)| Single {
        baseline,
        fault: &faults[0],
        number: random.of(&named(baseline, &faults[0])),
    });
    let each: Vec<_> = each.collect();
    let pair = |first: &Single| {
        let others = each.iter().filter(|other| {
            Arc::ptr_eq(other.baseline, first.baseline) && other.fault != first.fault
        });
        let second = others.min_by_key(|other| random.of_both(first.number, other.number))?;
        let both = vec![first.fault.clone(), second.fault.clone()];
        Some((first.baseline.clone(), both))
    };
    each.iter().filter_map(pair).collect()
}

/// Reduces a baseline to the steps that the faults of one run need, and returns it with the faults
/// at their new steps.
pub fn around(baseline: &Baseline, faults: &[Fault]) -> (Baseline, Vec<Fault>) {
    let steps: Vec<usize> = faults.iter().flat_map(Fault::steps).collect();
    let kept = baseline.scenario.steps_around(&steps);
    let moved = faults
        .iter()
        .filter_map(|fault| fault.in_shortened_scenario(&kept))
        .collect();
    (baseline.only(&kept), moved)
}

/// Reports whether both runs of a scenario reached the same states. Only then can a third run be
/// expected to.
pub fn is_steady(baseline: &Baseline) -> bool {
    let [one, other] = &baseline.runs;
    let mut pairs = one.states.iter().zip(&other.states);
    pairs.all(|(one, other)| one.differences(other, &baseline.expected.mask).is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::torture::api::call::ApiCall;
    use crate::torture::fault::InjectionPoint;
    use crate::torture::journal::{JournalEntry, JournalEvent, RecordedRequest};
    use crate::torture::run::result::RunResult;
    use crate::torture::scenario::Scenario;
    use crate::torture::snapshot::Snapshot;

    /// Returns a run of an operator that writes a Pod and a status, and receives watch events of
    /// both.
    fn recorded(namespace: &str, steps: usize) -> RunResult {
        let of_step = |step: usize| {
            let entry = move |event| JournalEntry {
                at: std::time::Duration::from_millis(step as u64),
                step,
                event,
            };
            let request = |method: &str, path: &str, status: u16| {
                let target = format!("/{path}").replace("NAMESPACE", namespace);
                let call = ApiCall::parse(method, &target).unwrap();
                let body = json!({ "metadata": { "name": "moo" } });
                JournalEvent::Request(Box::new(RecordedRequest {
                    status,
                    ..RecordedRequest::new(call, body)
                }))
            };
            let news = JournalEvent::WatchEvent {
                resource: "pods".into(),
                change: "ADDED".into(),
                name: "moo".into(),
            };
            [
                JournalEvent::Step(format!("step {step}")),
                request("GET", "api/v1/pods?watch=1", 200),
                request("POST", "api/v1/namespaces/NAMESPACE/pods", 201),
                request("PATCH", "api/v1/namespaces/NAMESPACE/pods/moo", 200),
                news,
            ]
            .map(entry)
        };
        RunResult {
            namespace: namespace.to_owned(),
            entries: (0..steps).flat_map(of_step).collect(),
            ..RunResult::of_states(vec![Snapshot::default(); steps])
        }
    }

    #[test]
    fn each_kind_of_write_to_children_comes_once_among_the_first_twenty() {
        let subject = json!({"kind": "Cow", "metadata": {"name": "moo"}, "spec": {"x": 0}});
        let life = Scenario::life(&subject, &[], &[]);
        let runs = ["t-1", "t-2"].map(|name| recorded(name, life.steps.len()));
        let baseline = Arc::new(Baseline::new(life, runs));
        let write = |at, verb, plural: &str| {
            let point = InjectionPoint::of_moo(0, verb, plural);
            (baseline.clone(), Fault::Write(at, point))
        };
        // The operator mostly patches its own kind and Pods.
        let mut faults = Vec::new();
        for _ in 0..50 {
            for at in [WriteFault::Conflict, WriteFault::CrashAfter] {
                faults.extend(["cows", "pods"].map(|plural| write(at, Verb::Patch, plural)));
            }
        }
        for at in [WriteFault::Conflict, WriteFault::CrashAfter] {
            faults.extend([Verb::Create, Verb::Delete].map(|verb| write(at, verb, "pods")));
            faults.push(write(at, Verb::Create, "secrets"));
        }
        let total = faults.len();
        let own = BTreeSet::from([Resource::core("cows")]);
        let ordered = children_first(faults, &own);
        assert_eq!(ordered.len(), total);
        let mut children = ordered
            .iter()
            .filter_map(|(_, fault)| Some((write_to_child(fault, &own)?, fault.class())));
        let firsts: Vec<_> = children.by_ref().take(4).collect();
        let kinds: BTreeSet<_> = firsts.iter().map(|(kind, _)| kind.as_str()).collect();
        let expected = ["create pods", "create secrets", "delete pods", "patch pods"];
        assert_eq!(kinds, BTreeSet::from(expected), "before any second one");
        let classes: BTreeSet<_> = firsts.iter().map(|(_, class)| *class).collect();
        assert_eq!(classes.len(), 2, "not the same kind of fault each time");
        let last = ordered
            .iter()
            .position(|(_, fault)| write_to_child(fault, &own).as_ref() == Some(&firsts[3].0));
        assert!(last.is_some_and(|last| last < FRONT), "{last:?}");
        assert!(
            write_to_child(&ordered[0].1, &own).is_none(),
            "others keep a place"
        );
    }

    #[test]
    fn two_campaigns_over_the_same_runs_do_the_same_faults() {
        let subject = json!({"kind": "Cow", "metadata": {"name": "moo"}, "spec": {"x": 0}});
        let life = Scenario::life(&subject, &[], &[]);
        let steps = life.steps.len();
        let planned = |seed, names: [&str; 2]| {
            let runs = names.map(|name| recorded(name, steps));
            let baseline = Arc::new(Baseline::new(life.clone(), runs));
            let (jobs, singles) = plan(
                &[baseline],
                &BTreeSet::new(),
                usize::MAX,
                Random::new(seed),
                &mut Coverage::default(),
            );
            assert!(singles > 0 && jobs.len() > singles, "{singles} and pairs");
            jobs.into_iter()
                .map(|(_, faults)| faults)
                .collect::<Vec<_>>()
        };
        // Each campaign has other namespaces.
        assert_eq!(planned(7, ["t-1", "t-2"]), planned(7, ["t-3", "t-4"]));
        assert_ne!(planned(7, ["t-1", "t-2"]), planned(8, ["t-1", "t-2"]));
    }
}
