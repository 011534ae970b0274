//! Findings: the classes of bug, and the data needed to report and replay a finding.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::diagnostic::bug_class;
use crate::text::sha256;
use crate::torture::fault::Fault;
use crate::torture::journal::JournalEntry;
use crate::torture::run::result::{CONVERGENCE_TIMEOUT, Recovery};
use crate::torture::scenario::Scenario;
use crate::torture::snapshot::{Difference, Snapshot};

/// The class of a bug.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// An object is missing.
    Missing,
    /// An unexpected object exists.
    TooMany,
    /// An object that the spec no longer requires still exists.
    NotRemoved,
    /// An object has not been updated to the spec.
    NotUpdated,
    /// The status is wrong.
    WrongStatus,
    /// The children do not return to their state when the spec does.
    NotRecovered,
    /// A deleted child is not created again.
    NotRestored,
    /// An edited child is not corrected.
    NotCorrected,
    /// A child is left after the deletion of its owner.
    Leftover,
    /// The object is never deleted, since its finalizer stays.
    StuckDeletion,
    /// More objects were created than in the baseline runs.
    CreatedTwice,
    /// More objects were deleted than in the baseline runs.
    DeletedTwice,
    /// The operator writes in a hot loop.
    HotLoop,
    /// The operator panicked.
    Panic,
    /// The operator exited.
    Exit,
    /// The operator's role lacks a permission.
    Forbidden,
    /// The API server rejected a write, and the status does not report it.
    SilentRefusal,
    /// The operator changed or deleted an object of another owner.
    Adopted,
    /// The operator created a child for an object in deletion.
    WorkOnDeleted,
    /// The operator removed another client's finalizer.
    ForeignFinalizer,
    /// A field of the spec has no effect.
    FieldWithoutEffect,
    /// A webhook failed instead of accepting or denying a request.
    WebhookFailed,
}

impl Class {
    /// Returns the name in reports: `stuck-deletion`.
    pub fn name(self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        value.as_str().unwrap_or_default().to_owned()
    }

    /// Returns the description in reports, in one line: `an expected object is missing`.
    pub fn description(self) -> &'static str {
        bug_class::named(&self.name()).map_or("", |class| class.symptom)
    }

    /// Returns why this is a bug and how to fix it, in sentences; `None` if the description says
    /// why.
    pub fn why(self) -> Option<String> {
        let class = bug_class::named(&self.name())?;
        Some(format!("{} {}", class.harm?, class.fix))
    }

    /// Reports whether the bug is a wrong state, which the operator may still correct.
    pub fn is_about_a_state(self) -> bool {
        matches!(
            self,
            Self::Missing
                | Self::TooMany
                | Self::NotRemoved
                | Self::NotUpdated
                | Self::WrongStatus
                | Self::NotRecovered
                | Self::NotRestored
                | Self::NotCorrected
        )
    }

    /// Reports whether the finding is itself a failure that the API server or the log reports.
    pub fn is_a_failure(self) -> bool {
        matches!(
            self,
            Self::Panic | Self::Exit | Self::Forbidden | Self::SilentRefusal | Self::WebhookFailed
        )
    }

    /// Reports whether one occurrence proves the bug, because the API server or the log reports it.
    pub fn is_proven(self) -> bool {
        matches!(self, Self::Forbidden | Self::Panic)
    }

    /// Reports whether a second occurrence would prove nothing more: a missing permission is always
    /// missing.
    pub fn is_certain(self) -> bool {
        self == Self::Forbidden
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// A retry of the operator after a failed request.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Retry {
    /// The time between the failure and the retry, in seconds.
    pub seconds: u64,
    /// True if the retry corrects the state; `None` if only other runs showed a retry.
    pub fixes: Option<bool>,
}

/// A bug that a campaign found, with the data needed to replay it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The id for `--replay`.
    pub id: String,
    pub class: Class,
    /// The affected object or field: `deployment/moo`, `spec.replicas`. For some classes, another
    /// subject: a resource, a call, a permission, a webhook, or `operator`.
    pub object: String,
    /// A message of one line.
    #[serde(rename = "says")]
    pub message: String,
    /// The differences from the expected state.
    pub differences: Vec<Difference>,
    /// The scenario that shows the bug; after minimization, only its necessary steps.
    pub scenario: Scenario,
    /// The index of the step after which the bug shows.
    pub step: usize,
    /// The injected faults; empty for a bug that shows without faults.
    pub faults: Vec<Fault>,
    /// True if the state stays wrong after a restart of the operator; `None` if no run observed
    /// that.
    #[serde(default)]
    pub lasting: Option<bool>,
    /// The retry of the operator; `None` if it was not observed to send a failed request again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Retry>,
    /// Failures in the same step that probably cause the bug.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
    /// A text that describes the fix, if it is known.
    #[serde(default)]
    pub remedy: Option<String>,
    /// The number of further occurrences of the same cause, in this or in other scenarios.
    pub others: usize,
    /// Other scenarios with the same finding: `spec.size: spec.size is 3`.
    #[serde(default)]
    pub examples: Vec<String>,
    /// The journal of the run.
    #[serde(default)]
    pub entries: Vec<JournalEntry>,
    /// The log of the operator in the run.
    #[serde(default)]
    pub log: String,
}

impl Finding {
    /// Returns a key that findings with the same cause share, as far as that can be observed.
    pub fn cause(&self) -> (Class, String) {
        // A hot loop writes other objects along with the first one.
        if self.class == Class::HotLoop {
            return (self.class, String::new());
        }
        // The same rejection of the same kind is one finding, whatever the name of the object.
        if self.class == Class::SilentRefusal {
            let kind = self.object.split('/').next().unwrap_or_default();
            return (self.class, format!("{kind}: {}", shape(&self.message)));
        }
        // `pod/cow-1` and `pod/cow-2` have one cause.
        let object = self.object.trim_end_matches(|c: char| c.is_ascii_digit());
        (self.class, object.to_owned())
    }

    /// Returns the order of a finding in the report, lowest first. Missing permissions come first,
    /// since they cause other symptoms; states that the operator may correct later come last.
    pub fn rank(&self) -> usize {
        match self.class {
            class if class.is_certain() => 0,
            class if !class.is_about_a_state() || self.lasting == Some(true) => 1,
            _ if self.retry.is_some_and(|retry| retry.fixes == Some(false)) => 1,
            _ => 2,
        }
    }

    /// Describes the class of bug, and whether the operator recovers.
    pub fn headline(&self) -> String {
        let description = self.class.description();
        match self.lasting {
            _ if !self.class.is_about_a_state() => description.to_owned(),
            Some(true) => format!("{description}, also after a restart of the operator"),
            None if self.faults.is_empty() => format!("{description}; {}", self.outlook()),
            _ => {
                let within = CONVERGENCE_TIMEOUT.as_secs();
                format!("{description} after {within} s; {}", self.outlook())
            }
        }
    }

    /// Describes how the operator may still correct the state.
    fn outlook(&self) -> String {
        let later = match self.retry {
            None => "the operator may try again later".to_owned(),
            Some(Retry { seconds, fixes }) => match fixes {
                None => {
                    format!("the operator may try again later (it retried after {seconds} s)")
                }
                Some(true) => return format!("its retry after {seconds} s fixes it"),
                Some(false) => format!("its retry after {seconds} s does not fix it"),
            },
        };
        match self.lasting {
            Some(false) => format!("{later}, and a restart fixes it"),
            _ => later,
        }
    }

    /// Records the time after which the operator retried in another run. A time in which the
    /// operator was observed without a retry explains nothing.
    pub fn learn_retry(&mut self, interval: Duration) {
        if interval > CONVERGENCE_TIMEOUT && self.class.is_about_a_state() {
            self.retry.get_or_insert(Retry {
                seconds: interval.as_secs(),
                fixes: None,
            });
        }
    }

    /// Adds whether the operator recovers from the wrong state, if a run observed that. Returns
    /// `None` if it recovers in time, so that the finding is not a bug. `later` is `None` if no run
    /// observed it.
    pub fn observe_recovery(mut self, later: Option<&Recovery>) -> Option<Self> {
        let is_in = |state: &Snapshot| self.differences.iter().any(|it| it.is_in(state));
        if let Some(later) = later.filter(|_| self.class.is_about_a_state()) {
            if !is_in(&later.after_wait) {
                return None;
            }
            self.retry = later.retry.as_ref().map(|retry| Retry {
                seconds: retry.interval.as_secs(),
                fixes: Some(!is_in(&retry.state)),
            });
            self.lasting = Some(is_in(&later.after_restart));
        }
        Some(self)
    }

    /// Counts `other` as a further occurrence, and records its scenario as the only example if it
    /// is a different one.
    pub fn see_again(&mut self, other: &Self) {
        const EXAMPLES: usize = 1;
        self.others += 1;
        let step = &other.scenario.steps.get(other.step);
        let description = step.map_or("", |step| &step.description);
        if other.scenario.name != self.scenario.name && self.examples.len() < EXAMPLES {
            let example = format!("{}: {description}", other.scenario.name);
            self.examples.push(example);
        }
    }

    /// Returns the descriptions of the steps up to the one after which the bug shows.
    pub fn steps(&self) -> impl Iterator<Item = &str> {
        let until = self.scenario.steps.iter().take(self.step + 1);
        until.map(|step| step.description.as_str())
    }

    /// Returns the command that replays the finding.
    pub fn replay(&self) -> String {
        format!("rustop torture --replay {}", self.id)
    }

    /// Sets the id, such as `missing-pod-1a2b`. Its number depends on cause, faults and scenario.
    #[must_use]
    pub fn named(mut self) -> Self {
        let text = format!(
            "{:?} {:?} {}",
            self.cause(),
            self.faults,
            self.scenario.name
        );
        let hash = sha256(&text);
        let kind = self
            .object
            .split(['/', '.', ' '])
            .next()
            .unwrap_or_default();
        self.id = format!("{}-{kind}-{}", self.class, &hash[..4]);
        self
    }
}

/// Returns a message of the API server without the parts that differ between objects: names, quoted
/// texts and numbers.
fn shape(message: &str) -> String {
    let message = message
        .split_once('(')
        .map_or(message, |(_, message)| message);
    let outside = message.split('"').step_by(2);
    let outside: String = outside.collect();
    outside.chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::torture::api::call::{Resource, Verb};
    use crate::torture::fault::{InjectionPoint, RestartFault, WatchFault, WriteFault};
    use crate::torture::run::result::ObservedRetry;
    use crate::torture::snapshot::Mask;

    fn finding(class: Class, faults: Vec<Fault>, differences: Vec<Difference>) -> Finding {
        Finding {
            id: String::new(),
            class,
            object: "configmap/moo".into(),
            message: "configmap/moo is missing".into(),
            differences,
            scenario: Scenario::life(&json!({"kind": "Cow", "spec": {}}), &[], &[]),
            step: 0,
            faults,
            lasting: None,
            retry: None,
            causes: Vec::new(),
            remedy: None,
            others: 0,
            examples: Vec::new(),
            entries: Vec::new(),
            log: String::new(),
        }
    }

    #[test]
    fn every_class_is_explained() {
        use bug_class::ReportedBy;

        // The error of serde lists all variants.
        let error = serde_json::from_str::<Class>("\"?\"")
            .unwrap_err()
            .to_string();
        let mut names: Vec<_> = error.split('`').skip(3).step_by(2).collect();
        assert!(names.len() > 20 && names.contains(&"missing"), "{error}");
        let explained = bug_class::ALL.iter();
        let mut explained: Vec<_> = explained
            .filter(|class| class.reported_by != ReportedBy::Simulate)
            .map(|class| class.name)
            .collect();
        names.sort_unstable();
        explained.sort_unstable();
        assert_eq!(names, explained);
    }

    #[test]
    fn the_id_of_a_finding_is_the_same_in_every_release() {
        let pods = || Resource::core("pods");
        let faults = vec![
            Fault::Write(
                WriteFault::CrashBefore,
                InjectionPoint::of_moo(0, Verb::Create, "pods"),
            ),
            Fault::Watch(WatchFault::Late, pods(), 1),
            Fault::Restart(RestartFault::BehindAtRest, 2),
            Fault::SecondPage(pods()),
        ];
        let finding = finding(Class::Missing, faults, Vec::new()).named();
        assert_eq!(finding.id, "missing-configmap-020c");
    }

    #[test]
    fn the_name_of_a_class_is_that_in_replay_files() {
        let explained = bug_class::ALL.iter();
        let reported = explained.filter(|it| it.reported_by != bug_class::ReportedBy::Simulate);
        for explained in reported {
            let class: Class = serde_json::from_value(json!(explained.name)).unwrap();
            assert_eq!(class.name(), explained.name);
            assert!(!class.description().is_empty());
        }
    }

    #[test]
    fn one_refusal_of_two_objects_is_one_finding_with_an_example() {
        let refused = |object: &str, scenario: &str, message: &str| {
            let message =
                format!("{object} was refused ({message}), and the status does not say so");
            let mut finding = finding(Class::SilentRefusal, Vec::new(), Vec::new());
            (finding.object, finding.message) = (object.into(), message);
            finding.scenario.name = scenario.into();
            finding
        };
        let long = "ConfigMap \"moo\" is invalid: data[a]: Too long: may not be more than 63 bytes";
        let mut one = refused("configmaps/moo", "spec.a", long);
        let other = refused(
            "configmaps/calf-2",
            "spec.b",
            &long.replace("moo", "calf-2"),
        );
        assert_eq!(one.cause(), other.cause());
        let text = "ConfigMap \"moo\" is invalid: data[a]: Required value";
        assert_ne!(
            one.cause(),
            refused("configmaps/moo", "spec.a", text).cause()
        );
        assert_ne!(one.cause(), refused("secrets/moo", "spec.a", long).cause());
        one.see_again(&other);
        one.see_again(&one.clone());
        assert_eq!(
            (one.others, one.examples),
            (2, vec!["spec.b: the user creates the object".to_owned()])
        );
    }

    #[test]
    fn what_the_operator_may_correct_later_is_said_to_be_so_and_comes_last() {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "moo"}});
        let (there, missing) = (Snapshot::of([&map], "t"), Snapshot::default());
        let differences = there.differences(&missing, &Mask::default());
        let observed = |later: Option<[&Snapshot; 2]>, retried: Option<&Snapshot>| {
            let down = vec![Fault::Restart(RestartFault::Down, 0)];
            let finding = finding(Class::Missing, down, differences.clone());
            let retry = retried.map(|state| ObservedRetry {
                interval: Duration::from_secs(30),
                state: state.clone(),
            });
            let later = later.map(|[waited, restarted]| Recovery {
                after_wait: waited.clone(),
                retry,
                after_restart: restarted.clone(),
            });
            finding.observe_recovery(later.as_ref())
        };
        let said = |found: Finding| (found.headline(), found.rank());
        let observed_headline = |later, retried| observed(later, retried).map(said);
        let headline =
            |rest: &str, rank| Some((format!("an expected object is missing{rest}"), rank));
        let heals = Some([&missing, &there]);
        assert_eq!(
            observed_headline(Some([&missing; 2]), None),
            headline(", also after a restart of the operator", 1)
        );
        assert_eq!(
            observed_headline(heals, None),
            headline(
                " after 20 s; the operator may try again later, and a restart fixes it",
                2
            )
        );
        assert_eq!(
            observed_headline(heals, Some(&there)),
            headline(" after 20 s; its retry after 30 s fixes it", 2)
        );
        assert_eq!(
            observed_headline(heals, Some(&missing)),
            headline(
                " after 20 s; its retry after 30 s does not fix it, and a restart fixes it",
                1
            )
        );
        assert_eq!(
            observed_headline(None, None),
            headline(" after 20 s; the operator may try again later", 2)
        );
        assert_eq!(
            observed_headline(Some([&there; 2]), None),
            None,
            "it exists in time"
        );
        let mut unobserved = observed(None, None).unwrap();
        unobserved.learn_retry(Duration::from_secs(5));
        assert_eq!(unobserved.retry, None, "it did not retry within 20 s");
        unobserved.learn_retry(Duration::from_secs(300));
        let elsewhere = " after 20 s; the operator may try again later (it retried after 300 s)";
        assert_eq!(Some(said(unobserved)), headline(elsewhere, 2));
        let forbidden = finding(Class::Forbidden, Vec::new(), Vec::new());
        assert_eq!(forbidden.rank(), 0);
        assert_eq!(forbidden.headline(), Class::Forbidden.description());
    }
}
