//! Candidate faults: the faults that two baseline runs of a scenario suggest, and the order in
//! which they are tried.

use std::collections::{BTreeMap, BTreeSet};

use crate::torture::api::call::{Resource, Verb};
use crate::torture::fault::injection_points::injection_points;
use crate::torture::fault::{Fault, RestartFault, WatchFault, WriteFault};
use crate::torture::journal::{JournalEntry, JournalEvent};

/// Returns the candidate faults of a scenario, which [`prioritize`] orders: those for each write,
/// watch event, step and paged list that occurred in both of its baseline runs. A run is given by
/// its journal and its namespace. `own` are the operator's custom resources. No other client
/// changes or deletes these before a write, since only users do, in the steps of the scenario.
/// `can_be_overtaken` reports whether the step after the given one may begin before that one has
/// converged.
pub fn candidates(
    runs: [(&[JournalEntry], &str); 2],
    own: &BTreeSet<Resource>,
    can_be_overtaken: impl Fn(usize) -> bool,
) -> Vec<Fault> {
    use WriteFault::{
        Changed, Conflict, CrashAfter, CrashBefore, Overtaken, Removed, ServerError, TakenOver,
        TooManyRequests, Unanswered,
    };
    let [(entries, namespace), (others, other_namespace)] = runs;
    let other_points = injection_points(others, other_namespace);
    let mut faults = Vec::new();
    for (point, existed) in injection_points(entries, namespace) {
        if other_points.get(&point) != Some(&existed) {
            continue;
        }
        let always = [
            CrashBefore,
            CrashAfter,
            Conflict,
            TooManyRequests,
            ServerError,
            Unanswered,
            TakenOver,
        ];
        faults.extend(always.map(|at| Fault::Write(at, point.clone())));
        if can_be_overtaken(point.step) {
            faults.push(Fault::Write(Overtaken, point.clone()));
        }
        let replaces =
            matches!(point.verb, Verb::Update | Verb::Patch) && point.subresource.is_empty();
        if existed && replaces && !own.contains(&point.resource) {
            faults.extend([Changed, Removed].map(|at| Fault::Write(at, point.clone())));
        }
    }
    let [one, other] = [entries, others].map(ObservedEvents::of);
    for (resource, step) in one.watch_events.intersection(&other.watch_events) {
        let of = |at| Fault::Watch(at, resource.clone(), *step);
        faults.extend([WatchFault::Late, WatchFault::Gap].map(of));
    }
    for step in one.steps.intersection(&other.steps) {
        // Before the first step the operator cannot miss any change.
        let down = (*step > 0).then_some(RestartFault::Down);
        let restarts = [RestartFault::Behind, RestartFault::BehindAtRest];
        let restarts = restarts.into_iter().chain(down);
        faults.extend(restarts.map(|restart| Fault::Restart(restart, *step)));
    }
    let paged = one.paged.intersection(&other.paged).cloned();
    faults.extend(paged.map(Fault::SecondPage));
    faults
}

/// The watch events and lists of a run.
#[derive(Default)]
struct ObservedEvents {
    /// The resources with watch events in each step.
    watch_events: BTreeSet<(Resource, usize)>,
    /// The steps that the run reached.
    steps: BTreeSet<usize>,
    /// The resources that the operator lists in pages.
    paged: BTreeSet<Resource>,
}

impl ObservedEvents {
    fn of(entries: &[JournalEntry]) -> Self {
        let mut observed = Self::default();
        let mut watched: BTreeMap<String, Resource> = BTreeMap::new();
        for entry in entries {
            match &entry.event {
                JournalEvent::Request(request) => {
                    let (call, resource) = (&request.call, request.call.resource.clone());
                    if call.verb == Verb::Watch {
                        watched.insert(resource.to_string(), resource);
                    } else if call.verb == Verb::List && call.parameter("limit").is_some() {
                        observed.paged.insert(resource);
                    }
                }
                JournalEvent::WatchEvent { resource, .. } => {
                    let resource = watched.get(resource).cloned();
                    observed
                        .watch_events
                        .extend(resource.map(|resource| (resource, entry.step)));
                }
                JournalEvent::Step(_) => drop(observed.steps.insert(entry.step)),
                _ => {}
            }
        }
        observed
    }
}

/// Returns how many faults of a class each round of [`prioritize`] takes. Crashes and stale watch
/// events find the most bugs.
fn weight(class: &str) -> usize {
    match class {
        "crash-before-write" | "crash-after-write" | "late-watch-events" | "server-behind" => 3,
        "downtime" | "overtaken" => 2,
        _ => 1,
    }
}

/// Orders faults in rounds, each with up to [`weight`] faults of every class, and drops none.
/// Within a class, the first fault of every group of similar faults comes before the second one of
/// any group. Among these, an earlier occurrence of a write comes first, then a lower `rank`, then
/// a lower `tie_breaker`. `T` is data of the caller, `similarity` names the group of a fault, and
/// `tie_breaker` is a seeded random number.
pub fn prioritize<T>(
    faults: Vec<(T, Fault)>,
    rank: impl Fn(&T, &Fault) -> usize,
    similarity: impl Fn(&T, &Fault) -> String,
    tie_breaker: impl Fn(&T, &Fault) -> u64,
) -> Vec<(T, Fault)> {
    let mut classes: BTreeMap<&'static str, Vec<(T, Fault)>> = BTreeMap::new();
    for fault in faults {
        classes.entry(fault.1.class()).or_default().push(fault);
    }
    let mut queues = Vec::new();
    for (class, mut faults) in classes {
        faults.sort_by_cached_key(|(of, fault)| (rank(of, fault), tie_breaker(of, fault)));
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut numbered: Vec<_> = faults
            .into_iter()
            .map(|(of, fault)| {
                let alike = seen.entry(similarity(&of, &fault)).or_default();
                *alike += 1;
                (*alike, (of, fault))
            })
            .collect();
        // The first occurrence of a write is certain; the number of repetitions may depend on
        // timing.
        numbered.sort_by_key(|(alike, (_, fault))| (*alike, fault.occurrence()));
        let queue = numbered.into_iter().map(|(_, fault)| fault);
        queues.push((weight(class), queue));
    }
    let mut ordered = Vec::new();
    loop {
        let before = ordered.len();
        for (weight, queue) in &mut queues {
            ordered.extend(queue.by_ref().take(*weight));
        }
        if ordered.len() == before {
            return ordered;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torture::random::Random;

    /// Returns late watch events and restarts behind the cache, one each for five steps.
    fn faults() -> Vec<((), Fault)> {
        let late = |step| Fault::Watch(WatchFault::Late, Resource::core("pods"), step);
        let behind = |step| Fault::Restart(RestartFault::Behind, step);
        let faults = (0..5).map(late).chain((0..5).map(behind));
        faults.map(|fault| ((), fault)).collect()
    }

    fn tie_breaker(seed: u64) -> impl Fn(&(), &Fault) -> u64 {
        let random = Random::new(seed);
        move |(), fault| random.of(&format!("{fault:?}"))
    }

    /// Returns the faults in their order if none are similar and all have the same rank.
    fn ordered(seed: u64) -> Vec<((), Fault)> {
        let step = |(): &(), fault: &Fault| fault.step().to_string();
        prioritize(faults(), |(), _| 0, step, tie_breaker(seed))
    }

    #[test]
    fn the_order_depends_only_on_the_seed() {
        assert_eq!(ordered(1), ordered(1));
        assert_ne!(ordered(1), ordered(2));
        assert_eq!(ordered(4).len(), 10);
    }

    #[test]
    fn every_class_is_in_the_first_round() {
        let round = weight("late-watch-events") + 1;
        let classes = ordered(3).into_iter().take(round);
        let classes: BTreeSet<_> = classes.map(|((), fault)| fault.class()).collect();
        assert_eq!(classes.len(), 2);
    }

    #[test]
    fn a_lower_rank_comes_first() {
        let similarity = |(): &(), _: &Fault| String::new();
        let rank = |(): &(), fault: &Fault| fault.step();
        let ranked = prioritize(faults(), rank, similarity, tie_breaker(5));
        assert_eq!(ranked[0].1.step(), 0);
    }

    #[test]
    fn similar_faults_come_after_the_first_of_each_group() {
        let half = |fault: &Fault| fault.step() / 4;
        let similarity = |(): &(), fault: &Fault| half(fault).to_string();
        let ordered = prioritize(faults(), |(), _| 0, similarity, tie_breaker(6));
        let halves: BTreeSet<_> = ordered[..2].iter().map(|((), fault)| half(fault)).collect();
        assert_eq!(halves.len(), 2);
    }
}
