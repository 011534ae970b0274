//! Faults: the kinds of fault, and the point of a run at which one is injected.

pub mod candidates;
pub mod injection_points;
pub mod injector;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::torture::api::call::{Resource, Verb};

/// The delay of late watch events.
pub const LATE: Duration = Duration::from_secs(2);

/// A write that occurs in each run of a scenario, identified by its verb and object instead of its
/// time.
#[derive(Clone, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct InjectionPoint {
    /// The index of the scenario's step.
    pub step: usize,
    pub verb: Verb,
    pub resource: Resource,
    /// `status`, `scale`; empty for the object itself.
    pub subresource: String,
    /// The name of the object, in which `NAMESPACE` stands for the namespace of the run; `PREFIX*`
    /// if the API server generates it.
    pub name: String,
    /// The number of writes of this kind earlier in the step that changed the object.
    pub occurrence: usize,
}

impl InjectionPoint {
    /// Returns the point of the first write of a kind of the core group to the object `moo` in a
    /// step.
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

    /// Returns the kind of write, without its object: `create jobs.batch`, `patch
    /// deployments.apps/status`.
    pub fn kind(&self) -> String {
        let part = if self.subresource.is_empty() { "" } else { "/" };
        format!("{} {}{part}{}", self.verb, self.resource, self.subresource)
    }
}

/// Findings derive their ids from this text, so it must not change between releases.
impl fmt::Debug for InjectionPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Point")
            .field("step", &self.step)
            .field("verb", &self.verb)
            .field("resource", &self.resource)
            .field("subresource", &self.subresource)
            .field("name", &self.name)
            .field("occurrence", &self.occurrence)
            .finish()
    }
}

impl fmt::Display for InjectionPoint {
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

/// A fault at a write of the operator.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteFault {
    /// The operator is killed before the write reaches the API server.
    CrashBefore,
    /// The operator is killed after the write succeeded, before it gets the response.
    CrashAfter,
    /// The write fails with status 409.
    Conflict,
    /// The write fails with status 429.
    TooManyRequests,
    /// The write fails with status 500.
    ServerError,
    /// The write succeeds, and its response is lost.
    Unanswered,
    /// The operator is killed, another instance becomes leader, and the write arrives while that
    /// one reconciles.
    TakenOver,
    /// Another client changes the object between the operator's read and this write.
    Changed,
    /// Another client deletes the object between the operator's read and this write.
    Removed,
    /// The next step of the scenario begins before this write.
    Overtaken,
}

/// A fault of the watches of a resource.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WatchFault {
    /// Watch events are delayed by [`LATE`].
    Late,
    /// The watch breaks, and cannot resume: the operator misses the states in between.
    Gap,
}

/// A restart of the operator.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RestartFault {
    /// The operator is down during the step, and sees only its result.
    Down,
    /// The operator restarts right after the step against an API server whose cache is stale.
    Behind,
    /// The operator restarts after it has settled, against an API server whose cache is stale.
    BehindAtRest,
}

/// A fault that is injected into one run.
#[derive(Clone, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// A fault at a write.
    Write(WriteFault, InjectionPoint),
    /// A fault in the watches of a resource during the step with this index.
    #[serde(rename = "news")]
    Watch(WatchFault, Resource, usize),
    /// A restart of the operator in the step with this index.
    Restart(RestartFault, usize),
    /// Each list of a resource with a limit has two pages, and the first request for a second page
    /// fails with status 410.
    SecondPage(Resource),
}

/// Findings derive their ids from this text, so it must not change between releases.
impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(fault, point) => f.debug_tuple("Write").field(fault).field(point).finish(),
            Self::Watch(fault, resource, step) => f
                .debug_tuple("News")
                .field(fault)
                .field(resource)
                .field(step)
                .finish(),
            Self::Restart(fault, step) => {
                f.debug_tuple("Restart").field(fault).field(step).finish()
            }
            Self::SecondPage(resource) => f.debug_tuple("SecondPage").field(resource).finish(),
        }
    }
}

impl Fault {
    /// Returns the name of the kind of fault: `crash-before-write`.
    pub fn class(&self) -> &'static str {
        match self {
            Self::Write(at, _) => match at {
                WriteFault::CrashBefore => "crash-before-write",
                WriteFault::CrashAfter => "crash-after-write",
                WriteFault::Conflict => "conflict",
                WriteFault::TooManyRequests => "too-many-requests",
                WriteFault::ServerError => "server-error",
                WriteFault::Unanswered => "unanswered-write",
                WriteFault::TakenOver => "leader-change",
                WriteFault::Changed => "changed-between",
                WriteFault::Removed => "removed-between",
                WriteFault::Overtaken => "overtaken",
            },
            Self::Watch(WatchFault::Late, ..) => "late-watch-events",
            Self::Watch(WatchFault::Gap, ..) => "missed-states",
            Self::Restart(RestartFault::Down, _) => "downtime",
            Self::Restart(RestartFault::Behind, _) => "server-behind",
            Self::Restart(RestartFault::BehindAtRest, _) => "server-behind-at-rest",
            Self::SecondPage(_) => "second-page",
        }
    }

    /// Returns the kind of write or the resource that the fault affects; empty for restarts.
    pub fn target(&self) -> String {
        match self {
            Self::Write(_, point) => point.kind(),
            Self::Watch(_, resource, _) | Self::SecondPage(resource) => resource.to_string(),
            Self::Restart(..) => String::new(),
        }
    }

    /// Returns the index of the first step that the fault affects.
    pub fn step(&self) -> usize {
        match self {
            Self::Write(_, point) => point.step,
            Self::Watch(_, _, step) | Self::Restart(_, step) => *step,
            Self::SecondPage(_) => 0,
        }
    }

    /// Returns [`InjectionPoint::occurrence`] of the write that the fault affects; 0 for other
    /// faults.
    pub fn occurrence(&self) -> usize {
        match self {
            Self::Write(_, point) => point.occurrence,
            _ => 0,
        }
    }

    /// Returns the index of the step that the next one overtakes, or `None` for another fault.
    pub fn overtaken_step(&self) -> Option<usize> {
        match self {
            Self::Write(WriteFault::Overtaken, point) => Some(point.step),
            _ => None,
        }
    }

    /// Returns the indices of the steps without which a scenario cannot have the fault: its own
    /// step, and the one that overtakes it.
    pub fn steps(&self) -> impl Iterator<Item = usize> {
        self.step()..=self.step() + usize::from(self.overtaken_step().is_some())
    }

    /// Returns the fault for the scenario reduced to `kept`, the ascending indices of its remaining
    /// steps. Returns `None` if `kept` lacks a step that the fault needs, or if its steps are no
    /// longer consecutive.
    pub fn in_shortened_scenario(&self, kept: &[usize]) -> Option<Self> {
        let place = |step: usize| kept.iter().position(|kept| *kept == step);
        let places = || self.steps().map(place).enumerate();
        let together = |first: usize| places().all(|(n, place)| place == Some(first + n));
        let first = || place(self.step()).filter(|first| together(*first));
        Some(match self.clone() {
            Self::Write(at, mut point) => {
                point.step = first()?;
                Self::Write(at, point)
            }
            Self::Watch(at, resource, _) => Self::Watch(at, resource, first()?),
            Self::Restart(restart, _) => Self::Restart(restart, first()?),
            other @ Self::SecondPage(_) => other,
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(at, point) => match at {
                WriteFault::CrashBefore => write!(f, "killed before `{point}` arrives"),
                WriteFault::CrashAfter => {
                    write!(f, "killed after `{point}` succeeded, before the response")
                }
                WriteFault::Conflict => write!(f, "`{point}` fails with 409"),
                WriteFault::TooManyRequests => write!(f, "`{point}` fails with 429"),
                WriteFault::ServerError => write!(f, "`{point}` fails with 500"),
                WriteFault::Unanswered => write!(f, "`{point}` succeeds, but its response is lost"),
                WriteFault::TakenOver => {
                    write!(f, "the leader changes before `{point}`, which arrives late")
                }
                WriteFault::Changed => {
                    write!(f, "another client changes the object before `{point}`")
                }
                WriteFault::Removed => {
                    write!(f, "another client deletes the object before `{point}`")
                }
                WriteFault::Overtaken => {
                    write!(f, "the next step runs before `{point}` arrives")
                }
            },
            Self::Watch(WatchFault::Late, resource, _) => {
                write!(
                    f,
                    "watch events of {resource} arrive {} s late",
                    LATE.as_secs()
                )
            }
            Self::Watch(WatchFault::Gap, resource, _) => {
                write!(
                    f,
                    "the watch of {resource} breaks, and misses the events until it resumes"
                )
            }
            Self::Restart(RestartFault::Down, _) => f.write_str("stopped during the step"),
            Self::Restart(RestartFault::Behind, _) => {
                f.write_str("restarted against an API server with a stale cache")
            }
            Self::Restart(RestartFault::BehindAtRest, _) => f.write_str(
                "restarted after it has settled, against an API server with a stale cache",
            ),
            Self::SecondPage(resource) => {
                write!(
                    f,
                    "the request for the second page of a list of {resource} fails"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_moves_with_its_step() {
        let fault = Fault::Watch(WatchFault::Gap, Resource::core("pods"), 4);
        assert_eq!(fault.in_shortened_scenario(&[0, 4]).unwrap().step(), 1);
        assert!(fault.in_shortened_scenario(&[0, 3]).is_none());
        let point = InjectionPoint::of_moo(2, Verb::Create, "pods");
        let overtaken = Fault::Write(WriteFault::Overtaken, point);
        assert_eq!(
            overtaken.in_shortened_scenario(&[0, 2, 3]).unwrap().step(),
            1
        );
        let apart = overtaken.in_shortened_scenario(&[2, 4]);
        assert!(apart.is_none(), "what comes next is another step");
    }
}
