//! The plan of a simulation: the faults of each history. First each fault occurs once at each kind
//! of request, then combinations.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use crate::random::seeded::Random;
use crate::recorder::{LEASES, What};
use crate::simulation::history::History;
use crate::simulation::scene::Scene;
use crate::simulation::schedule::Injection;
use crate::testing::{Fault, Operation, Requests};

/// The faults that are tried at each kind of request.
const FAULTS: [Fault; 16] = [
    Fault::CrashAfter,
    Fault::Status(500),
    Fault::LostResponse,
    Fault::DelayedEvent(5_000),
    Fault::CrashBefore,
    Fault::Freeze(30_000),
    Fault::Status(409),
    Fault::ForeignEdit,
    Fault::LostRequest,
    Fault::BrokenWatch,
    Fault::ForeignDelete,
    Fault::DelayedResponse(5_000),
    Fault::Status(429),
    Fault::DelayedResponse(120_000),
    Fault::ExpiredWatch,
    Fault::DelayedEvent(120_000),
];

/// The faults that are tried after the others, because they happen less often in a cluster.
const RARE: [Fault; 5] = [
    Fault::TimedOut,
    Fault::Restore,
    Fault::BrokenList,
    Fault::ClockJump(-5_000),
    Fault::ClockJump(60_000),
];

/// The size of a group of histories with at most one fault, of which the first has none.
const PLAIN: usize = 11;

/// A kind of request, given by its operation and its resource (`deployments.apps`), and a fault.
pub(super) type Pair = (Operation, String, Fault);

/// A kind of request or watch event, and how often it occurs without faults.
type Points = BTreeMap<(Operation, String), u32>;

/// The faults of all histories.
pub(super) struct Plan {
    /// The kinds of requests and watch events of the baseline run.
    points: Points,
    suitable: Suitable,
    /// The faults that have not been tried alone, in the order in which they will be.
    singles: VecDeque<Injection>,
    /// The number of kinds of requests and faults that have not been tried together.
    untried: usize,
    /// The number of histories with at most one fault so far.
    planned: usize,
    random: Random,
}

impl Plan {
    /// Makes a plan from the requests of a history without faults.
    pub fn new(baseline: &History, scene: &Scene, seed: u64) -> Self {
        let points = points(baseline);
        let suitable = Suitable {
            own: resources(baseline, &scene.samples),
            has_standby: scene.replicas > 1,
        };
        let (mut random, mut rare) = (Random::new(seed), Random::new(!seed));
        let round_of = |nth, faults: &[Fault]| -> Vec<_> {
            let points = points.iter().filter(|(_, count)| **count >= nth);
            let all = points.flat_map(|((operation, resource), _)| {
                let fits = suitable.faults_at(*operation, resource, faults);
                fits.map(|fault| injection(*operation, resource, nth, fault))
            });
            all.collect()
        };
        let (mut singles, mut untried) = (VecDeque::new(), 0);
        let most = points.values().copied().max().unwrap_or_default();
        // The first request of each kind, then the second, and so on: a kind of request that is
        // frequent must not hide the others.
        for nth in 1..=most {
            let mut round = round_of(nth, &FAULTS);
            random.shuffle(&mut round);
            singles.extend(round);
            let mut round = round_of(nth, &RARE);
            rare.shuffle(&mut round);
            singles.extend(round);
            if nth == 1 {
                untried = singles.len();
            }
        }
        Self {
            points,
            suitable,
            singles,
            untried,
            planned: 0,
            random,
        }
    }

    /// Returns the faults of the next history. Empty for a history without faults.
    pub fn next_faults(&mut self) -> Vec<Injection> {
        // First each fault occurs at each kind of request. Later requests of a kind are less likely
        // to show something new.
        let is_combined = self.untried == 0 && self.random.below(2) == 0;
        if is_combined || self.singles.is_empty() {
            return self.combination();
        }
        // Some histories have no fault: other latencies alone show some bugs.
        let is_plain = self.planned.is_multiple_of(PLAIN);
        self.planned += 1;
        if is_plain {
            return Vec::new();
        }
        self.untried = self.untried.saturating_sub(1);
        self.singles.pop_front().into_iter().collect()
    }

    /// Returns two or three faults, or none if the operator sends no requests.
    fn combination(&mut self) -> Vec<Injection> {
        if self.random.below(2) == 0
            && let Some(faults) = self.during_recovery()
        {
            return faults.to_vec();
        }
        if self.points.is_empty() {
            return Vec::new();
        }
        let number = 2 + self.random.below(2);
        let mut faults: Vec<_> = (0..number).map(|_| self.draw()).collect();
        faults.sort();
        faults.dedup();
        faults
    }

    /// Returns the number of pairs of a kind of request and a fault.
    pub fn pairs(&self) -> usize {
        let points = self.points.keys();
        points
            .map(|(operation, resource)| self.suitable.all_at(*operation, resource).count())
            .sum()
    }

    /// Returns a fault after which the operator lists and watches a kind again, and one at that
    /// list or watch. No history with one fault has a fault there.
    fn during_recovery(&mut self) -> Option<[Injection; 2]> {
        let reads = |operation, _: &str, _| matches!(operation, Operation::List | Operation::Watch);
        let mut second = self.draw_among(reads)?;
        let read = (second.at.operation, second.at.resource.clone());
        second.at.nth = self.points[&read] + 1;
        let crashes = self.random.below(2) == 0;
        let first = self.draw_among(|_, resource, fault| match fault {
            Fault::CrashBefore | Fault::CrashAfter => crashes,
            Fault::ExpiredWatch => !crashes && resource == read.1,
            _ => false,
        })?;
        Some([first, second])
    }

    /// Returns a fault at any request or watch event. Each kind of request is equally likely.
    fn draw(&mut self) -> Injection {
        let index = self.random.below(self.points.len() as u64);
        let index = usize::try_from(index).unwrap_or_default();
        let kind = self.points.keys().nth(index).cloned();
        let (operation, resource) = kind.expect("there are points");
        let is_at = |other, of: &str, _| other == operation && of == resource;
        self.draw_among(is_at).expect("a crash fits everywhere")
    }

    /// Returns one of the faults that fit an operation and a resource and are among those that
    /// `is_among` selects.
    fn draw_among(
        &mut self,
        is_among: impl Fn(Operation, &str, Fault) -> bool,
    ) -> Option<Injection> {
        let points = self.points.iter();
        let all = points.flat_map(|((operation, resource), count)| {
            let fits = self.suitable.all_at(*operation, resource);
            let fits = fits.filter(|fault| is_among(*operation, resource, *fault));
            fits.map(move |fault| (*operation, resource, *count, fault))
        });
        let all: Vec<_> = all.collect();
        if all.is_empty() {
            return None;
        }
        let index = usize::try_from(self.random.below(all.len() as u64)).unwrap_or_default();
        let (operation, resource, count, fault) = all[index];
        let nth = 1 + u32::try_from(self.random.below(count.into())).unwrap_or_default();
        Some(injection(operation, resource, nth, fault))
    }
}

/// Returns the pair of a fault.
pub(super) fn pair(fault: &Injection) -> Pair {
    (fault.at.operation, fault.at.resource.clone(), fault.fault)
}

/// Decides which faults suit a kind of request.
struct Suitable {
    /// The resources of the samples.
    own: BTreeSet<String>,
    /// True if another replica takes over from one that is frozen.
    has_standby: bool,
}

impl Suitable {
    /// Returns all faults that are tried at a kind of request.
    fn all_at(&self, operation: Operation, resource: &str) -> impl Iterator<Item = Fault> {
        let common = self.faults_at(operation, resource, &FAULTS);
        common.chain(self.faults_at(operation, resource, &RARE))
    }

    /// Returns those of `faults` that are tried at a kind of request. Samples are deleted only by
    /// the user, because their children must go with them. A Lease is never deleted, since a
    /// replica that has just started does not know its holder and leads at once.
    fn faults_at(
        &self,
        operation: Operation,
        resource: &str,
        faults: &[Fault],
    ) -> impl Iterator<Item = Fault> {
        let (plural, _) = resource.split_once('/').unwrap_or((resource, ""));
        let stays = self.own.contains(plural) || plural == LEASES;
        let is_lease = plural == LEASES;
        let fits = move |fault: &Fault| {
            fault.fits(operation)
                && match fault {
                    Fault::ForeignDelete => !stays,
                    Fault::Freeze(_) => self.has_standby,
                    Fault::Restore | Fault::ClockJump(_) => !is_lease,
                    _ => true,
                }
        };
        faults.iter().copied().filter(fits)
    }
}

/// Returns the resources of the samples.
fn resources(baseline: &History, samples: &[Value]) -> BTreeSet<String> {
    let objects = baseline.states.iter().flat_map(|state| &state.0);
    let is_sample = |object: &Value| {
        let same = |sample: &Value, name: &str| sample[name] == object[name];
        let mut samples = samples.iter();
        samples.any(|sample| same(sample, "kind") && same(sample, "apiVersion"))
    };
    let own = objects.filter(|(_, object)| is_sample(object));
    own.map(|(id, _)| id.resource.clone()).collect()
}

fn injection(operation: Operation, resource: &str, nth: u32, fault: Fault) -> Injection {
    let at = Requests {
        operation,
        resource: resource.to_owned(),
        name: None,
        nth,
    };
    Injection { at, fault }
}

/// Counts the requests and watch events of the operator.
fn points(history: &History) -> Points {
    let mut points = Points::new();
    for entry in &history.trace {
        let (operation, resource) = match &entry.what {
            What::Request(request) if request.process > 0 => (request.operation, &request.resource),
            What::Event { resource, kind, .. } if kind != "BOOKMARK" => ("event", resource),
            What::Review {
                process, resource, ..
            } if *process > 0 => ("review", resource),
            _ => continue,
        };
        let is_of_the_manager =
            resource.starts_with("events") || resource.starts_with("selfsubject");
        if let Some(operation) = Operation::named(operation).filter(|_| !is_of_the_manager) {
            *points.entry((operation, resource.clone())).or_default() += 1;
        }
    }
    points
}
