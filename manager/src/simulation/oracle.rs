//! The oracle: decides from histories whether the operator has a bug.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::recorder::{LEASES, Request, TraceEntry, What};
use crate::simulation::foreign_objects::Likeness;
use crate::simulation::history::History;
use crate::simulation::retries::{self, SlowRetry};
use crate::simulation::scene::TWIN;
use crate::simulation::schedule::{Schedule, Step};
use crate::simulation::snapshot::{Difference, Id, Snapshot};

/// The number of equal writes within [`LATELY`] that makes a hot loop, as in `rustop torture`.
const OFTEN: usize = 5;
/// The number of reconciles of one object within [`LATELY`] that makes a hot loop.
const RECONCILES: usize = 20;
/// The virtual time at the end of a step in which repetitions count.
const LATELY: Duration = Duration::from_secs(4);

/// The class of a bug. The names are those of `rustop torture`, except for the checks of the
/// simulation itself.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Class {
    /// A check that must always hold was violated:
    /// [`Simulation::always`](super::Simulation::always).
    Always,
    /// A check did not hold after the cluster had settled:
    /// [`Simulation::eventually`](super::Simulation::eventually).
    Eventually,
    /// An object is missing, or no replica reconciles the objects of a shard.
    Missing,
    /// An unexpected object exists.
    TooMany,
    /// An object is not as in the history without faults.
    NotUpdated,
    /// The status is not as in the history without faults.
    WrongStatus,
    /// An object is left after the deletion of the samples.
    Leftover,
    /// An object is never deleted after the deletion of the samples, because a finalizer stays.
    StuckDeletion,
    /// More objects with generated names were created than in the history without faults.
    CreatedTwice,
    /// The operator changed or deleted an object of another owner.
    Adopted,
    /// The operator writes or reconciles again and again, or the cluster does not settle.
    HotLoop,
    /// The operator's roles lack a permission.
    Forbidden,
    /// The operator panicked.
    Panic,
    /// The operator exited by itself.
    Exit,
    /// A replica wrote while another one held the Lease, or the Lease of the object's shard.
    TwoLeaders,
    /// The `observedGeneration` of a status is outdated after the cluster has settled.
    ObservedGeneration,
    /// The delay before a retry did not start again after a success.
    SlowRetry,
}

impl Class {
    /// Returns the name, as in reports: `created-twice`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Eventually => "eventually",
            Self::Missing => "missing",
            Self::TooMany => "too-many",
            Self::NotUpdated => "not-updated",
            Self::WrongStatus => "wrong-status",
            Self::Leftover => "leftover",
            Self::StuckDeletion => "stuck-deletion",
            Self::CreatedTwice => "created-twice",
            Self::Adopted => "adopted",
            Self::HotLoop => "hot-loop",
            Self::Forbidden => "forbidden",
            Self::Panic => "panic",
            Self::Exit => "exit",
            Self::TwoLeaders => "two-leaders",
            Self::ObservedGeneration => "observed-generation",
            Self::SlowRetry => "slow-retry",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A key that findings with the same cause share: the class, and the object without a number at its
/// end.
pub(super) type Cause = (Class, String);

/// A bug, with the schedule that shows it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The class of the bug.
    pub class: Class,
    /// The object, such as `deployments.apps default/web`, or what the class has instead: the name
    /// of the check, the request that is not allowed, or `operator`.
    pub object: String,
    /// The description of the bug, in one line.
    pub message: String,
    /// The schedule; in a [`Report`](super::Report), with as few steps and faults as the bug needs.
    pub schedule: Schedule,
    /// The history until the step after which the bug shows, one line per entry.
    pub timeline: Vec<String>,
    /// The index of that step.
    pub(super) step: usize,
}

impl Finding {
    /// Returns a finding without schedule and timeline, which [`Finding::with_schedule`] adds.
    fn new(class: Class, object: impl Into<String>, step: usize, message: String) -> Self {
        let schedule = Schedule {
            seed: 0,
            steps: Vec::new(),
            faults: Vec::new(),
        };
        Self {
            class,
            object: object.into(),
            message,
            schedule,
            timeline: Vec::new(),
            step,
        }
    }

    /// Adds the schedule of `history` and its timeline, both until the step of the finding.
    pub(super) fn with_schedule(mut self, schedule: &Schedule, history: &History) -> Self {
        self.schedule = schedule.clone();
        self.schedule.steps.truncate(self.step + 1);
        let end = history.steps.get(self.step).map(|(end, _)| *end);
        let entries = &history.trace[..end.unwrap_or(history.trace.len())];
        self.timeline = entries.iter().map(ToString::to_string).collect();
        self
    }

    /// Returns a key that findings with the same cause share.
    pub(super) fn cause(&self) -> Cause {
        let object = match self.class {
            // A hot loop writes other objects along with the first one.
            Class::HotLoop | Class::Panic | Class::Exit => "",
            // children often differ only in a number: `web-0`, `web-1`
            _ => self.object.trim_end_matches(|c: char| c.is_ascii_digit()),
        };
        (self.class, object.to_owned())
    }
}

/// The histories without faults, with which other histories are compared.
#[derive(Clone, Debug)]
pub(super) struct Baseline {
    history: History,
    /// For each state, the fields that differ between two histories without faults. They depend on
    /// latencies, so they are not compared.
    masked: Vec<BTreeSet<(Id, String)>>,
}

impl Baseline {
    /// Returns the baseline of two histories with the same steps and different seeds.
    pub fn new(history: History, other: &History) -> Self {
        let both = history.states.iter().zip(&other.states);
        let masked = both
            .map(|(one, other)| {
                let found = one.differences(other, &BTreeSet::new()).into_iter();
                found.map(|it| (it.id, it.field)).collect()
            })
            .collect();
        Self { history, masked }
    }

    /// Returns the findings of a history with faults and other latencies. States are compared only
    /// if nothing else explains a difference, and only up to the first one.
    pub fn check(&self, steps: &[Step], history: &History) -> Vec<Finding> {
        let mut findings = check_alone(steps, history);
        if steps.iter().any(|step| Likeness::of(*step).is_some()) {
            return findings;
        }
        let is_about_a_state = |finding: &Finding| {
            !matches!(
                finding.class,
                Class::Always
                    | Class::Forbidden
                    | Class::ObservedGeneration
                    | Class::Panic
                    | Class::SlowRetry
                    | Class::TwoLeaders
            )
        };
        if findings.iter().any(is_about_a_state) {
            return findings;
        }
        let states = history.states.iter().zip(&self.history.states).skip(1);
        for (step, ((actual, expected), masked)) in
            states.zip(self.masked.iter().skip(1)).enumerate()
        {
            let differences = expected.differences(actual, masked);
            if let Some(finding) = most_serious(step, &differences) {
                findings.push(finding);
                break;
            }
        }
        findings
    }
}

/// Returns a finding about the most serious difference. `None` if there are no differences.
fn most_serious(step: usize, differences: &[Difference]) -> Option<Finding> {
    let class = |it: &Difference| match (&it.expected, &it.actual) {
        (Some(_), None) => Class::Missing,
        (None, Some(_)) if it.id.generated => Class::CreatedTwice,
        (None, Some(_)) => Class::TooMany,
        _ if it.field.starts_with("status") => Class::WrongStatus,
        _ => Class::NotUpdated,
    };
    let rank = |it: &&Difference| match class(it) {
        Class::CreatedTwice => 0,
        Class::Missing => 1,
        Class::TooMany => 2,
        Class::NotUpdated => 3,
        _ => 4,
    };
    let worst = differences.iter().min_by_key(rank)?;
    let id = &worst.id;
    let message = match class(worst) {
        Class::Missing => format!("{id} does not exist, and exists without the faults"),
        Class::CreatedTwice => format!("{id} was created in addition"),
        Class::TooMany => format!("{id} exists, and does not exist without the faults"),
        _ => {
            let show =
                |value: &Option<serde_json::Value>| value.clone().unwrap_or_default().to_string();
            let (is, expected) = (show(&worst.actual), show(&worst.expected));
            format!(
                "{} of {id} is {is}, and {expected} without the faults",
                worst.field
            )
        }
    };
    Some(Finding::new(class(worst), id.to_string(), step, message))
}

/// Returns the findings of a history that need no comparison.
pub(super) fn check_alone(steps: &[Step], history: &History) -> Vec<Finding> {
    if let Some(made) = steps.iter().position(|step| Likeness::of(*step).is_some()) {
        // The operator cannot create its children, which is not its fault.
        return adopted(made, history).into_iter().collect();
    }
    let mut findings = forbidden(history);
    findings.extend(first_panic(history));
    findings.extend(two_leaders(history));
    findings.extend(ownerless(history));
    findings.extend(slow_retry(history));
    for (step, why) in history.exits.iter().take(1) {
        let message = format!("the operator exited: {why}");
        findings.push(Finding::new(Class::Exit, "operator", *step, message));
    }
    findings.extend(hot_loop(history));
    for violation in &history.violations {
        let (class, how) = if violation.always {
            (Class::Always, "was violated")
        } else {
            (
                Class::Eventually,
                "does not hold after the cluster has settled",
            )
        };
        let message = format!("`{}` {how}", violation.check);
        findings.push(Finding::new(
            class,
            &*violation.check,
            violation.step,
            message,
        ));
    }
    findings.extend(outdated_generation(history));
    if findings.iter().any(|it| it.class == Class::HotLoop) {
        return findings;
    }
    for (number, (step, after)) in steps.iter().zip(history.states.iter().skip(1)).enumerate() {
        let found = match step {
            Step::Delete => remains(number, &history.states[0], after),
            Step::CreateTwins => {
                unequal_twins(number, &history.sample_namespace, &history.states[0], after)
            }
            _ => None,
        };
        findings.extend(found);
    }
    findings
}

/// Finds objects that are left after the deletion of the samples. `start` is the state before the
/// first step. Namespaces do not count: that of the twins stays.
fn remains(step: usize, start: &Snapshot, end: &Snapshot) -> Option<Finding> {
    let left: Vec<_> = end
        .0
        .iter()
        .filter(|(id, _)| !start.0.contains_key(id) && id.resource != "namespaces")
        .collect();
    let stuck = left
        .iter()
        .find(|(_, object)| !object["metadata"]["deletionTimestamp"].is_null());
    if let Some((id, object)) = stuck {
        let finalizers = &object["metadata"]["finalizers"];
        let message = format!("{id} is not deleted, because it has the finalizers {finalizers}");
        return Some(Finding::new(
            Class::StuckDeletion,
            id.to_string(),
            step,
            message,
        ));
    }
    let (id, _) = left.first()?;
    let message = format!("{id} is left after the samples were deleted");
    Some(Finding::new(Class::Leftover, id.to_string(), step, message))
}

/// Finds an object of another owner that the operator changed or deleted after the step `made`,
/// which created these objects. The status does not count, because actors write it.
fn adopted(made: usize, history: &History) -> Option<Finding> {
    let (before, created) = (history.states.get(made)?, history.states.get(made + 1)?);
    let is_foreign = |id: &Id| created.0.contains_key(id) && !before.0.contains_key(id);
    let foreign_in = |state: &Snapshot| {
        let objects = state.0.iter().filter(|(id, _)| is_foreign(id));
        Snapshot(
            objects
                .map(|(id, object)| (id.clone(), object.clone()))
                .collect(),
        )
    };
    let expected = foreign_in(created);
    let mut later = history.states.iter().enumerate().skip(made + 2);
    later.find_map(|(index, state)| {
        let mut differences = expected.differences(&foreign_in(state), &BTreeSet::new());
        differences.retain(|it| !it.field.starts_with("status"));
        let first = differences.first()?;
        let how = match &*first.field {
            "" => "was deleted".to_owned(),
            field => format!("was changed in `{field}`"),
        };
        let message = format!("{} of another owner {how}", first.id);
        Some(Finding::new(
            Class::Adopted,
            first.id.to_string(),
            index - 1,
            message,
        ))
    })
}

/// Finds an object in the namespace of the samples that the namespace of their twins does not have.
/// Names may contain the namespace, so the number of objects decides.
fn unequal_twins(
    step: usize,
    namespace: &str,
    start: &Snapshot,
    after: &Snapshot,
) -> Option<Finding> {
    let new = after.0.keys().filter(|id| !start.0.contains_key(id));
    let count = |namespace: &str, resource: &str| {
        let inside = new.clone();
        inside
            .filter(|id| id.namespace == namespace && id.resource == resource)
            .count()
    };
    let in_twin = |id: &Id| Id {
        namespace: TWIN.to_owned(),
        ..id.clone()
    };
    let missing = new.clone().find(|id| {
        let (ours, theirs) = (count(namespace, &id.resource), count(TWIN, &id.resource));
        id.namespace == namespace && ours > theirs && !after.0.contains_key(&in_twin(id))
    })?;
    let message = format!("{missing} exists, and its twin in namespace `{TWIN}` does not");
    let object = in_twin(missing).to_string();
    Some(Finding::new(Class::Missing, object, step, message))
}

/// Returns the panics of reconciles, predicates and mappers: the index in the trace, the object,
/// and the message.
pub(super) fn panics(history: &History) -> impl Iterator<Item = (usize, &str, &str)> {
    let entries = history.trace.iter().enumerate();
    entries.filter_map(|(index, entry)| match &entry.what {
        What::Ended {
            object,
            failure: Some((reason, message)),
            ..
        } if reason == "Panicked" => Some((index, object.as_str(), message.as_str())),
        What::Panicked {
            object, message, ..
        } => Some((index, object.as_str(), message.as_str())),
        _ => None,
    })
}

/// Finds the requests that the operator's roles do not allow, each verb and resource once.
fn forbidden(history: &History) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let denied = history.trace.iter().enumerate();
    let denied = denied.filter_map(|(index, entry)| match &entry.what {
        What::Denied {
            request, marker, ..
        } if seen.insert(request) => Some((index, request, marker)),
        _ => None,
    });
    denied
        .map(|(index, request, marker)| {
            let message = format!(
                "the roles do not allow `{request}`; help: add `{marker}` and run `rustop manifests`"
            );
            Finding::new(Class::Forbidden, request, step_at(history, index), message)
        })
        .collect()
}

/// Finds the first panic of a reconcile, a predicate or a mapper.
fn first_panic(history: &History) -> Option<Finding> {
    let (index, object, message) = panics(history).next()?;
    let step = step_at(history, index);
    Some(Finding::new(Class::Panic, object, step, message.to_owned()))
}

/// Finds the first write of a replica that does not hold the Lease: that of the object's shard if
/// there are shards. The holder of a Lease is the last replica that wrote it.
///
/// A write that the API server rejects counts, too: the manager's own writes fail if the other
/// replica has changed the object in the meantime, and would have taken effect if it had not.
fn two_leaders(history: &History) -> Option<Finding> {
    let mut holders: BTreeMap<Option<u32>, usize> = BTreeMap::new();
    for (index, entry) in history.trace.iter().enumerate() {
        let What::Request(request) = &entry.what else {
            continue;
        };
        if request.process == 0 || !is_write(request.operation) || is_review(request) {
            continue;
        }
        if request.resource == LEASES {
            let shard = shard_of_lease(&request.object);
            let is_common = shard.is_none() && holders.keys().any(Option::is_some);
            if request.changed && !is_common {
                holders.insert(shard, request.process);
            }
            if shard.is_some() {
                // With shards, all replicas write the Lease that has the name of the leader's.
                holders.remove(&None);
            }
            continue;
        }
        let holder = holders.get(&request.shard).copied();
        let Some(holder) = holder.filter(|holder| *holder != request.process) else {
            continue;
        };
        let Request {
            process,
            operation,
            resource,
            object,
            ..
        } = &**request;
        let lease = request.shard.map_or_else(
            || "the Lease".to_owned(),
            |shard| format!("the Lease of shard {shard}"),
        );
        let message = format!(
            "operator {process} sends {operation} {resource} {object} while operator {holder} holds {lease}"
        );
        let step = step_at(history, index);
        return Some(Finding::new(Class::TwoLeaders, resource, step, message));
    }
    None
}

/// Finds a shard that no replica reconciles.
fn ownerless(history: &History) -> Option<Finding> {
    let (step, shards) = history.ownerless.as_ref()?;
    let shard = format!("shard {}", shards.first()?);
    let message = format!("no replica reconciles the objects of {shard}");
    Some(Finding::new(Class::Missing, shard, *step, message))
}

/// Finds a retry delay that did not start again after a success.
fn slow_retry(history: &History) -> Option<Finding> {
    let found = retries::slow(&history.trace)?;
    let SlowRetry {
        object,
        delay,
        longest_before,
        ..
    } = &found;
    let message = format!(
        "the first retry of {object} after a success waits {delay:.1?}, and before the success each waited {longest_before:.1?} at most"
    );
    let step = step_at(history, found.index);
    Some(Finding::new(Class::SlowRetry, object, step, message))
}

/// Returns the shard of the Lease with this name, if it is the Lease of a shard.
fn shard_of_lease(name: &str) -> Option<u32> {
    let (_, shard) = name.rsplit_once("-shard-")?;
    shard.parse().ok()
}

/// Returns the index of the step in which an entry of the trace falls.
fn step_at(history: &History, index: usize) -> usize {
    let steps = history.steps.iter();
    let before = steps.take_while(|(end, _)| *end <= index).count();
    before.min(history.steps.len().saturating_sub(1))
}

/// Finds a hot loop at the end of a step.
fn hot_loop(history: &History) -> Option<Finding> {
    for (step, (end, is_settled)) in history.steps.iter().enumerate() {
        let entries = &history.trace[..*end];
        if let Some((what, count)) = most_frequent(entries) {
            let seconds = LATELY.as_secs();
            let message = format!("{what}: {count} times in the last {seconds} s of the step");
            return Some(Finding::new(Class::HotLoop, what, step, message));
        }
        if !is_settled {
            let message = "the cluster does not settle".to_owned();
            return Some(Finding::new(Class::HotLoop, "operator", step, message));
        }
    }
    None
}

/// Returns the write or the reconcile that was too frequent in the last seconds, with its number.
fn most_frequent(entries: &[TraceEntry]) -> Option<(String, usize)> {
    let end = entries.last()?.at;
    let lately = entries
        .iter()
        .rev()
        .take_while(|entry| entry.at + LATELY > end);
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for entry in lately {
        let (what, limit) = match &entry.what {
            What::Request(request)
                if request.process > 0
                    && is_write(request.operation)
                    && !is_review(request)
                    && request.resource != LEASES =>
            {
                // The names of created objects may be generated.
                let object = if request.operation == "create" {
                    ""
                } else {
                    &*request.object
                };
                (
                    format!("{} {} {object}", request.operation, request.resource),
                    OFTEN,
                )
            }
            What::Started { object, .. } => (format!("reconcile of {object}"), RECONCILES),
            _ => continue,
        };
        counts.entry(what).or_insert((0, limit)).0 += 1;
    }
    // if several were too frequent, the most frequent one is reported
    let often = counts
        .into_iter()
        .filter(|(_, (count, limit))| count >= limit);
    let (what, (count, _)) = often.max_by_key(|(_, (count, _))| *count)?;
    Some((what.trim_end().to_owned(), count))
}

/// Returns true for a request that asks for a permission.
fn is_review(request: &Request) -> bool {
    request.resource.ends_with("accessreviews")
}

fn is_write(operation: &str) -> bool {
    !matches!(operation, "get" | "list" | "watch")
}

/// Finds an object, created in this history, whose observed generation is not the current one at
/// the end of a step.
fn outdated_generation(history: &History) -> Option<Finding> {
    let last = history.states.len().checked_sub(1)?;
    for (step, state) in history.states.iter().enumerate().take(last + 1).skip(1) {
        let outdated = state.0.iter().find(|(id, object)| {
            let is_own = !history.states[0].0.contains_key(id);
            is_own
                && object["status"]["observedGeneration"] == "outdated"
                && object["metadata"]["deletionTimestamp"].is_null()
        });
        if let Some((id, _)) = outdated {
            let message = format!("the observed generation of {id} is not the current one");
            let class = Class::ObservedGeneration;
            return Some(Finding::new(class, id.to_string(), step - 1, message));
        }
    }
    None
}
