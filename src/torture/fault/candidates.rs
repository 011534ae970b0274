//! Candidate faults: the faults that two baseline runs of a scenario suggest, and the order in which they are tried.

use std::collections::{BTreeMap, BTreeSet};

use crate::torture::api::call::{Resource, Verb};
use crate::torture::fault::injection_points::injection_points;
use crate::torture::fault::{Fault, RestartFault, WatchFault, WriteFault};
use crate::torture::journal::{JournalEntry, JournalEvent};

/// Returns the faults for the writes and watch events that occurred in both runs of a scenario. `own` are the operator's
/// custom resources, which only users change; `can_be_overtaken` reports whether the next step may begin during a step.
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
    let again = injection_points(others, other_namespace);
    let mut faults = Vec::new();
    for (point, existed) in injection_points(entries, namespace) {
        if again.get(&point) != Some(&existed) {
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
    for (resource, step) in one.news.intersection(&other.news) {
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
    news: BTreeSet<(Resource, usize)>,
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
                        .news
                        .extend(resource.map(|resource| (resource, entry.step)));
                }
                JournalEvent::Step(_) => drop(observed.steps.insert(entry.step)),
                _ => {}
            }
        }
        observed
    }
}

/// Returns the number of faults of a kind in each round. Crashes and stale watch events find the most bugs.
fn weight(class: &str) -> usize {
    match class {
        "crash-before-write" | "crash-after-write" | "late-watch-events" | "server-behind" => 3,
        "downtime" | "overtaken" => 2,
        _ => 1,
    }
}

/// Orders faults in rounds with a share for every kind of fault. Within a kind, faults with a new likeness come first,
/// then those with a lower rank, then those with a lower `chance`.
pub fn prioritize<T>(
    faults: Vec<(T, Fault)>,
    rank: impl Fn(&T, &Fault) -> usize,
    likeness: impl Fn(&T, &Fault) -> String,
    chance: impl Fn(&T, &Fault) -> u64,
) -> Vec<(T, Fault)> {
    let mut classes: BTreeMap<&'static str, Vec<(T, Fault)>> = BTreeMap::new();
    for fault in faults {
        classes.entry(fault.1.class()).or_default().push(fault);
    }
    let mut queues = Vec::new();
    for (class, mut faults) in classes {
        faults.sort_by_cached_key(|(of, fault)| (rank(of, fault), chance(of, fault)));
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut numbered: Vec<_> = faults
            .into_iter()
            .map(|(of, fault)| {
                let alike = seen.entry(likeness(&of, &fault)).or_default();
                *alike += 1;
                (*alike, (of, fault))
            })
            .collect();
        // The first occurrence of a write is certain; the number of repetitions may depend on timing.
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

    #[test]
    fn the_same_seed_gives_the_same_order_and_each_class_has_its_turn() {
        let faults = || {
            let news = (0..5).map(|step| {
                (
                    (),
                    Fault::Watch(WatchFault::Late, Resource::core("pods"), step),
                )
            });
            news.chain((0..5).map(|step| ((), Fault::Restart(RestartFault::Behind, step))))
                .collect::<Vec<_>>()
        };
        let chance = |seed| {
            let random = Random::new(seed);
            move |(): &(), fault: &Fault| random.of(&format!("{fault:?}"))
        };
        let ordered = |seed| {
            let likeness = |(): &(), fault: &Fault| fault.step().to_string();
            prioritize(faults(), |(), _| 0, likeness, chance(seed))
        };
        assert_eq!(ordered(1), ordered(1));
        assert_ne!(ordered(1), ordered(2));
        let classes: BTreeSet<_> = ordered(3)[..4]
            .iter()
            .map(|((), fault)| fault.class())
            .collect();
        assert_eq!(classes.len(), 2);
        assert_eq!(ordered(4).len(), 10);
        let ranked = prioritize(
            faults(),
            |(), fault| fault.step(),
            |(), _| String::new(),
            chance(5),
        );
        assert_eq!(ranked[0].1.step(), 0);
        let unlike = prioritize(
            faults(),
            |(), _| 0,
            |(), fault| (fault.step() / 4).to_string(),
            chance(6),
        );
        let halves: BTreeSet<_> = unlike[..2].iter().map(|((), f)| f.step() / 4).collect();
        assert_eq!(halves.len(), 2, "one of each kind before a second");
    }
}
