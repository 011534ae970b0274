//! The faults, and which of them a run without faults suggests.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::call::{Call, Resource, Verb};
use super::journal::{self, Entry, Request, What};
use super::random::Random;

/// How late news is.
pub const LATE: Duration = Duration::from_secs(2);

/// A write among those of a run: the same one in each run of the scenario.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Point {
    /// The step of the scenario.
    pub step: usize,
    /// What is done.
    pub verb: Verb,
    /// To which kind.
    pub resource: Resource,
    /// To which part.
    pub subresource: String,
    /// To which object.
    pub name: String,
    /// The how manieth of its like in the step, from 0 on.
    pub occurrence: usize,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.resource.plural)?;
        if !self.subresource.is_empty() {
            write!(f, "/{}", self.subresource)?;
        }
        write!(f, " {}", self.name)?;
        match self.occurrence {
            0 => Ok(()),
            more => write!(f, " (number {})", more + 1),
        }
    }
}

/// What happens at a write.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AtWrite {
    /// The operator is killed, and the write never arrives.
    CrashBefore,
    /// The write is done, and the operator is killed before it knows.
    CrashAfter,
    /// It is answered 409.
    Conflict,
    /// It is answered 429.
    TooManyRequests,
    /// It is answered 500.
    ServerError,
    /// It is done, and no answer ever comes.
    Unanswered,
    /// The object changes between the operator's read and this write.
    Changed,
    /// The object is deleted between the operator's read and this write.
    Removed,
}

/// What happens to what an operator hears.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AtNews {
    /// Changes are told late.
    Late,
    /// The watch breaks, and when it is back only the last state is told.
    Gap,
}

/// One fault.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// At a write.
    Write(AtWrite, Point),
    /// In what is told of a kind during a step.
    News(AtNews, Resource, usize),
    /// The operator starts again in a step, against an API server that is behind.
    Behind(usize),
    /// Each list of a kind has two pages, and the first time the second one is refused.
    SecondPage(Resource),
}

impl Fault {
    /// What all faults of its like are called.
    pub fn class(&self) -> &'static str {
        match self {
            Self::Write(at, _) => match at {
                AtWrite::CrashBefore => "crash-before-write",
                AtWrite::CrashAfter => "crash-after-write",
                AtWrite::Conflict => "conflict",
                AtWrite::TooManyRequests => "too-many-requests",
                AtWrite::ServerError => "server-error",
                AtWrite::Unanswered => "unanswered-write",
                AtWrite::Changed => "changed-between",
                AtWrite::Removed => "removed-between",
            },
            Self::News(AtNews::Late, ..) => "late-news",
            Self::News(AtNews::Gap, ..) => "missed-states",
            Self::Behind(_) => "server-behind",
            Self::SecondPage(_) => "second-page",
        }
    }

    /// The first step that it changes something in.
    pub fn step(&self) -> usize {
        match self {
            Self::Write(_, point) => point.step,
            Self::News(_, _, step) | Self::Behind(step) => *step,
            Self::SecondPage(_) => 0,
        }
    }

    /// The same when steps of the scenario are left out; `None` if its own is.
    pub fn moved(&self, kept: &[usize]) -> Option<Self> {
        let place = |step: usize| kept.iter().position(|kept| *kept == step);
        Some(match self.clone() {
            Self::Write(at, mut point) => {
                point.step = place(point.step)?;
                Self::Write(at, point)
            }
            Self::News(at, resource, step) => Self::News(at, resource, place(step)?),
            Self::Behind(step) => Self::Behind(place(step)?),
            other @ Self::SecondPage(_) => other,
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(at, point) => match at {
                AtWrite::CrashBefore => write!(f, "killed before `{point}` arrives"),
                AtWrite::CrashAfter => {
                    write!(f, "killed after `{point}` is done, before the answer")
                }
                AtWrite::Conflict => write!(f, "`{point}` is answered 409"),
                AtWrite::TooManyRequests => write!(f, "`{point}` is answered 429"),
                AtWrite::ServerError => write!(f, "`{point}` is answered 500"),
                AtWrite::Unanswered => write!(f, "`{point}` is done, its answer never comes"),
                AtWrite::Changed => write!(f, "somebody changes the object before `{point}`"),
                AtWrite::Removed => write!(f, "somebody deletes the object before `{point}`"),
            },
            Self::News(AtNews::Late, resource, _) => {
                write!(
                    f,
                    "changes of {resource} are told {} s late",
                    LATE.as_secs()
                )
            }
            Self::News(AtNews::Gap, resource, _) => {
                write!(
                    f,
                    "the watch of {resource} breaks, and misses what came between"
                )
            }
            Self::Behind(_) => f.write_str("started again against an API server that is behind"),
            Self::SecondPage(resource) => {
                write!(f, "the second page of a list of {resource} is refused")
            }
        }
    }
}

/// Counts writes, so that each is known by its place.
#[derive(Debug, Default)]
pub struct Counter {
    seen: BTreeMap<Point, usize>,
    /// What the API server called objects, and what their names begin with.
    generated: BTreeMap<String, String>,
}

impl Counter {
    /// The place of a write.
    pub fn point(&mut self, step: usize, request: &Request, namespace: &str) -> Point {
        let name = request.name();
        let name = self.generated.get(&name).cloned().unwrap_or(name);
        let Call {
            verb,
            resource,
            subresource,
            ..
        } = request.call.clone();
        let mut point = Point {
            step,
            verb,
            resource,
            subresource,
            name: name.replace(namespace, "NAMESPACE"),
            occurrence: 0,
        };
        let seen = self.seen.entry(point.clone()).or_default();
        point.occurrence = *seen;
        *seen += 1;
        point
    }

    /// Learns the name that the API server gave.
    pub fn learn(&mut self, request: &Request) {
        let of_answer = |key: &str| request.answer["metadata"][key].as_str().map(str::to_owned);
        if request.call.verb == Verb::Create
            && let (Some(prefix), Some(name)) = (of_answer("generateName"), of_answer("name"))
        {
            self.generated.insert(name, format!("{prefix}*"));
        }
    }
}

/// The writes of a run that did something.
fn points(entries: &[Entry], namespace: &str) -> Vec<(Point, bool)> {
    let mut counter = Counter::default();
    let mut points = Vec::new();
    for (step, request) in journal::requests(entries).filter(|(_, r)| r.call.is_work()) {
        let point = counter.point(step, request, namespace);
        counter.learn(request);
        if request.succeeded() {
            // Of what was made by this very write nothing can have changed before.
            let existed = request.status != 201;
            points.push((point, existed));
        }
    }
    points
}

/// The faults that two runs of one scenario suggest: only what happened in both is sure to happen again.
/// `own` are the operator's own kinds, which nobody but users deletes.
pub fn derive(runs: [(&[Entry], &str); 2], own: &BTreeSet<Resource>) -> Vec<Fault> {
    use AtWrite::{
        Changed, Conflict, CrashAfter, CrashBefore, Removed, ServerError, TooManyRequests,
        Unanswered,
    };
    let [(entries, namespace), (others, other_namespace)] = runs;
    let again: BTreeSet<_> = points(others, other_namespace).into_iter().collect();
    let mut faults = Vec::new();
    for (point, existed) in points(entries, namespace) {
        if !again.contains(&(point.clone(), existed)) {
            continue;
        }
        let always = [
            CrashBefore,
            CrashAfter,
            Conflict,
            TooManyRequests,
            ServerError,
            Unanswered,
        ];
        faults.extend(always.map(|at| Fault::Write(at, point.clone())));
        let replaces =
            matches!(point.verb, Verb::Update | Verb::Patch) && point.subresource.is_empty();
        if existed && replaces && !own.contains(&point.resource) {
            faults.extend([Changed, Removed].map(|at| Fault::Write(at, point.clone())));
        }
    }
    let mut news = BTreeSet::new();
    let mut steps = BTreeSet::new();
    let mut paged = BTreeSet::new();
    let mut watched: BTreeMap<String, Resource> = BTreeMap::new();
    for entry in entries {
        match &entry.what {
            What::Request(request) if request.call.verb == Verb::Watch => {
                let resource = request.call.resource.clone();
                watched.insert(resource.to_string(), resource);
            }
            What::Request(request)
                if request.call.verb == Verb::List && request.call.parameter("limit").is_some() =>
            {
                paged.insert(request.call.resource.clone());
            }
            What::News { resource, .. } => drop(news.insert((resource.clone(), entry.step))),
            What::Step(_) => drop(steps.insert(entry.step)),
            _ => {}
        }
    }
    for (resource, step) in news {
        if let Some(resource) = watched.get(&resource) {
            let of = |at| Fault::News(at, resource.clone(), step);
            faults.extend([AtNews::Late, AtNews::Gap].map(of));
        }
    }
    faults.extend(steps.into_iter().map(Fault::Behind));
    faults.extend(paged.into_iter().map(Fault::SecondPage));
    faults
}

/// The order in which faults are tried: of each class one, and again. In a class those of a lower rank come
/// first, and those of one rank in an order of chance.
pub fn order<T>(
    faults: Vec<(T, Fault)>,
    rank: impl Fn(&T, &Fault) -> usize,
    random: &mut Random,
) -> Vec<(T, Fault)> {
    let mut classes: BTreeMap<&'static str, Vec<(T, Fault)>> = BTreeMap::new();
    for fault in faults {
        classes.entry(fault.1.class()).or_default().push(fault);
    }
    let mut classes: Vec<_> = classes.into_values().collect();
    for class in &mut classes {
        random.shuffle(class);
        class.sort_by_key(|(of, fault)| std::cmp::Reverse(rank(of, fault)));
    }
    let mut ordered = Vec::new();
    while !classes.is_empty() {
        ordered.extend(classes.iter_mut().filter_map(Vec::pop));
        classes.retain(|class| !class.is_empty());
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource() -> Resource {
        Resource {
            group: String::new(),
            version: "v1".into(),
            plural: "pods".into(),
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_order_and_each_class_has_its_turn() {
        let faults = || {
            let news = (0..5).map(|step| ((), Fault::News(AtNews::Late, resource(), step)));
            news.chain((0..5).map(|step| ((), Fault::Behind(step))))
                .collect::<Vec<_>>()
        };
        let ordered = |seed| order(faults(), |(), _| 0, &mut Random::new(seed));
        assert_eq!(ordered(1), ordered(1));
        assert_ne!(ordered(1), ordered(2));
        let classes: BTreeSet<_> = ordered(3)[..2]
            .iter()
            .map(|((), fault)| fault.class())
            .collect();
        assert_eq!(classes.len(), 2);
        assert_eq!(ordered(4).len(), 10);
        let ranked = order(faults(), |(), fault| fault.step(), &mut Random::new(5));
        assert!(ranked[..2].iter().all(|((), fault)| fault.step() == 0));
    }

    #[test]
    fn a_fault_moves_with_its_step() {
        let fault = Fault::News(AtNews::Gap, resource(), 4);
        assert_eq!(fault.moved(&[0, 4]).unwrap().step(), 1);
        assert!(fault.moved(&[0, 3]).is_none());
    }
}
