//! The faults, and which of them a run without faults suggests.

pub mod candidates;
pub mod injection_points;
pub mod injector;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::torture::api::call::{Resource, Verb};

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
    /// How many of its like had done something in the step before it.
    pub occurrence: usize,
}

impl Point {
    /// The first write of a kind of the core group to the object `moo` in a step.
    #[cfg(test)]
    pub fn of_moo(step: usize, verb: Verb, plural: &str) -> Self {
        Self {
            step,
            verb,
            resource: Resource::core(plural),
            subresource: String::new(),
            name: "moo".into(),
            occurrence: 0,
        }
    }

    /// Returns the kind of write, whatever object it is about: `create jobs.batch`, `patch deployments.apps/status`.
    pub fn kind(&self) -> String {
        let part = if self.subresource.is_empty() { "" } else { "/" };
        format!("{} {}{part}{}", self.verb, self.resource, self.subresource)
    }
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
    /// Another operator takes over before it arrives, and is at work when it does.
    TakenOver,
    /// The object changes between the operator's read and this write.
    Changed,
    /// The object is deleted between the operator's read and this write.
    Removed,
    /// The user does not wait for it, and goes on to the next step of the scenario.
    Overtaken,
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

/// When an operator is not at work.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Restart {
    /// It is down while it happens, and sees only what has become of it.
    Down,
    /// It starts again as soon as it has happened, against an API server that is behind.
    Behind,
    /// The same when it has done its work: it is told what it knew before that.
    BehindAtRest,
}

/// One fault.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// At a write.
    Write(AtWrite, Point),
    /// In what is told of a kind during a step.
    News(AtNews, Resource, usize),
    /// The operator starts again in a step.
    Restart(Restart, usize),
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
                AtWrite::TakenOver => "leader-change",
                AtWrite::Changed => "changed-between",
                AtWrite::Removed => "removed-between",
                AtWrite::Overtaken => "overtaken",
            },
            Self::News(AtNews::Late, ..) => "late-news",
            Self::News(AtNews::Gap, ..) => "missed-states",
            Self::Restart(Restart::Down, _) => "downtime",
            Self::Restart(Restart::Behind, _) => "server-behind",
            Self::Restart(Restart::BehindAtRest, _) => "server-behind-at-rest",
            Self::SecondPage(_) => "second-page",
        }
    }

    /// What it is done to: one object of a kind is like the next.
    pub fn aim(&self) -> String {
        match self {
            Self::Write(_, point) => point.kind(),
            Self::News(_, resource, _) | Self::SecondPage(resource) => resource.to_string(),
            Self::Restart(..) => String::new(),
        }
    }

    /// The first step that it changes something in.
    pub fn step(&self) -> usize {
        match self {
            Self::Write(_, point) => point.step,
            Self::News(_, _, step) | Self::Restart(_, step) => *step,
            Self::SecondPage(_) => 0,
        }
    }

    /// How many writes like the one that it is done to came before.
    pub fn occurrence(&self) -> usize {
        match self {
            Self::Write(_, point) => point.occurrence,
            _ => 0,
        }
    }

    /// The step in the middle of which the next one is done, if that is the fault.
    pub fn overtaken(&self) -> Option<usize> {
        match self {
            Self::Write(AtWrite::Overtaken, point) => Some(point.step),
            _ => None,
        }
    }

    /// The steps that have to be there for it.
    pub fn steps(&self) -> impl Iterator<Item = usize> {
        self.step()..=self.step() + usize::from(self.overtaken().is_some())
    }

    /// The same when steps of the scenario are left out; `None` if one of its own is, or they are apart.
    pub fn moved(&self, kept: &[usize]) -> Option<Self> {
        let place = |step: usize| kept.iter().position(|kept| *kept == step);
        let places = || self.steps().map(place).enumerate();
        let together = |first: usize| places().all(|(n, place)| place == Some(first + n));
        let first = || place(self.step()).filter(|first| together(*first));
        Some(match self.clone() {
            Self::Write(at, mut point) => {
                point.step = first()?;
                Self::Write(at, point)
            }
            Self::News(at, resource, _) => Self::News(at, resource, first()?),
            Self::Restart(restart, _) => Self::Restart(restart, first()?),
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
                AtWrite::TakenOver => {
                    write!(f, "the leader changes before `{point}`, which arrives late")
                }
                AtWrite::Changed => write!(f, "somebody changes the object before `{point}`"),
                AtWrite::Removed => write!(f, "somebody deletes the object before `{point}`"),
                AtWrite::Overtaken => write!(f, "the next step is done before `{point}` arrives"),
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
            Self::Restart(Restart::Down, _) => f.write_str("down while it happens"),
            Self::Restart(Restart::Behind, _) => {
                f.write_str("started again against an API server that is behind")
            }
            Self::Restart(Restart::BehindAtRest, _) => f.write_str(
                "started again when its work is done, against an API server that is behind",
            ),
            Self::SecondPage(resource) => {
                write!(f, "the second page of a list of {resource} is refused")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_moves_with_its_step() {
        let fault = Fault::News(AtNews::Gap, Resource::core("pods"), 4);
        assert_eq!(fault.moved(&[0, 4]).unwrap().step(), 1);
        assert!(fault.moved(&[0, 3]).is_none());
        let point = Point::of_moo(2, Verb::Create, "pods");
        let overtaken = Fault::Write(AtWrite::Overtaken, point);
        assert_eq!(overtaken.moved(&[0, 2, 3]).unwrap().step(), 1);
        let apart = overtaken.moved(&[2, 4]);
        assert!(apart.is_none(), "what comes next is another step");
    }
}
