//! What is wrong with an operator, and how to see it again.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::torture::fault::Fault;
use crate::torture::journal::JournalEntry;
use crate::torture::run::result::{PATIENCE, Recovery};
use crate::torture::scenario::Scenario;
use crate::torture::snapshot::{Difference, Snapshot};

/// What kind of bug it is.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// What should be there is not.
    Missing,
    /// What should not be there is.
    TooMany,
    /// What the spec no longer asks for stays.
    NotRemoved,
    /// An object is not as it should be.
    NotUpdated,
    /// The status says what is not so.
    WrongStatus,
    /// After the spec is as it was, the rest is not.
    NotRecovered,
    /// A child that was deleted does not come back.
    NotRestored,
    /// A child that was edited stays so.
    NotCorrected,
    /// Something stays after the deletion.
    Leftover,
    /// The object itself cannot be deleted.
    StuckDeletion,
    /// More was made than is needed.
    CreatedTwice,
    /// More was deleted than had to be.
    DeletedTwice,
    /// It writes again and again.
    HotLoop,
    /// It panicked.
    Panic,
    /// It ended by itself.
    Exit,
    /// It may not do what it wants to.
    Forbidden,
    /// The API server refused something, and the status does not say so.
    SilentRefusal,
    /// It took what is somebody else's.
    Adopted,
    /// It made something for an object that is being deleted.
    WorkOnDeleted,
    /// It let an object go that somebody else held.
    ForeignFinalizer,
    /// A field that nothing comes of.
    FieldWithoutEffect,
    /// A webhook neither accepted nor refused.
    WebhookFailed,
}

impl Class {
    /// As it is written.
    pub fn name(self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        value.as_str().unwrap_or_default().to_owned()
    }

    /// In a sentence.
    pub fn says(self) -> &'static str {
        match self {
            Self::Missing => "what should be there is missing",
            Self::TooMany => "there is more than there should be",
            Self::NotRemoved => "what the spec no longer asks for is still there",
            Self::NotUpdated => "an object is not as the spec asks for",
            Self::WrongStatus => "the status is not what it should be",
            Self::NotRecovered => "the spec is as it was, but the rest is not",
            Self::NotRestored => "a child that somebody deleted is not made again",
            Self::NotCorrected => "a child that somebody edited is not corrected",
            Self::Leftover => "something is left after the object was deleted",
            Self::StuckDeletion => "the object cannot be deleted",
            Self::CreatedTwice => "more was made than is needed",
            Self::DeletedTwice => "more was deleted than had to be",
            Self::HotLoop => "the operator writes again and again, and never comes to rest",
            Self::Panic => "the operator panicked",
            Self::Exit => "the operator ended by itself",
            Self::Forbidden => "the role of the operator does not allow what it does",
            Self::SilentRefusal => {
                "the API server refused what the operator wrote, and the status does not say so"
            }
            Self::Adopted => "the operator took what belongs to somebody else",
            Self::WorkOnDeleted => {
                "the operator makes something for an object that is being deleted"
            }
            Self::ForeignFinalizer => "the operator removed a finalizer of somebody else's",
            Self::FieldWithoutEffect => "nothing comes of a field",
            Self::WebhookFailed => "a webhook fails where it should accept or refuse",
        }
    }

    /// Reports whether it is about a state that the operator may still correct.
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

    /// Reports whether a single sight proves the bug: the API server or the log has said so.
    pub fn is_proven(self) -> bool {
        matches!(self, Self::Forbidden | Self::Panic)
    }

    /// Reports whether there is nothing to learn from a second sight: what the API server forbids once it forbids always.
    pub fn is_certain(self) -> bool {
        self == Self::Forbidden
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// A finding.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// By which it is replayed.
    pub id: String,
    /// What kind of bug it is.
    pub class: Class,
    /// What it is about: `deployment/moo`, `spec.replicas`.
    pub object: String,
    /// What is wrong, in a line.
    pub says: String,
    /// Between what should be and what is.
    pub differences: Vec<Difference>,
    /// What is done.
    pub scenario: Scenario,
    /// The step after which it shows.
    pub step: usize,
    /// What went wrong on the way; nothing for a bug that shows without.
    pub faults: Vec<Fault>,
    /// Whether it stays so when the operator is started again; `None` if that was not tried.
    #[serde(default)]
    pub lasting: Option<bool>,
    /// What puts it right, in a few lines, where that is known.
    #[serde(default)]
    pub remedy: Option<String>,
    /// How many other faults showed the same.
    pub others: usize,
    /// The first other scenarios that showed the same: `spec.size: spec.size is 3`.
    #[serde(default)]
    pub examples: Vec<String>,
    /// What happened.
    #[serde(default)]
    pub entries: Vec<JournalEntry>,
    /// What the operator said.
    #[serde(default)]
    pub log: String,
}

impl Finding {
    /// What is the same for all findings of one cause, as far as can be told from outside.
    pub fn cause(&self) -> (Class, String) {
        // Who writes one thing again and again writes others along with it.
        if self.class == Class::HotLoop {
            return (self.class, String::new());
        }
        // The same refusal of the same kind is one, whatever the object is called.
        if self.class == Class::SilentRefusal {
            let kind = self.object.split('/').next().unwrap_or_default();
            return (self.class, format!("{kind}: {}", shape(&self.says)));
        }
        // `pod/cow-1` and `pod/cow-2` are one.
        let object = self.object.trim_end_matches(|c: char| c.is_ascii_digit());
        (self.class, object.to_owned())
    }

    /// Returns the place of a finding in the report: first what the API server forbids, since other symptoms may follow from
    /// it, and last what the operator may correct by itself later.
    pub fn rank(&self) -> usize {
        match self.class {
            class if class.is_certain() => 0,
            class if !class.is_about_a_state() || self.lasting == Some(true) => 1,
            _ => 2,
        }
    }

    /// Describes the class of bug, and whether what is wrong stays so.
    pub fn headline(&self) -> String {
        let says = self.class.says();
        let within = PATIENCE.as_secs();
        match self.lasting {
            _ if !self.class.is_about_a_state() => says.to_owned(),
            Some(true) => format!("{says}, and stays so when the operator is started again"),
            Some(false) => format!(
                "{says}, not within {within} s; the operator may try again later, and does when it is started again"
            ),
            None if self.faults.is_empty() => format!("{says}; the operator may try again later"),
            None => format!("{says}, not within {within} s; the operator may try again later"),
        }
    }

    /// Learns from a run what becomes of the state, if that was looked for; `None` if the operator corrects it in time.
    pub fn observe_recovery(mut self, later: Option<&Recovery>) -> Option<Self> {
        let is_in = |state: &Snapshot| self.differences.iter().any(|it| it.is_in(state));
        if let Some(later) = later.filter(|_| self.class.is_about_a_state()) {
            if !is_in(&later.after_wait) {
                return None;
            }
            self.lasting = Some(is_in(&later.after_restart));
        }
        Some(self)
    }

    /// Counts another sight of the same, and notes where that was if it is another scenario.
    pub fn see_again(&mut self, other: &Self) {
        const EXAMPLES: usize = 1;
        self.others += 1;
        let step = &other.scenario.steps.get(other.step);
        let says = step.map_or("", |step| &step.says);
        if other.scenario.name != self.scenario.name && self.examples.len() < EXAMPLES {
            let example = format!("{}: {says}", other.scenario.name);
            self.examples.push(example);
        }
    }

    /// The steps up to the one after which it shows.
    pub fn steps(&self) -> impl Iterator<Item = &str> {
        let until = self.scenario.steps.iter().take(self.step + 1);
        until.map(|step| step.says.as_str())
    }

    /// Gives it the name that follows from what it is.
    #[must_use]
    pub fn named(mut self) -> Self {
        use sha2::{Digest as _, Sha256};
        let text = format!(
            "{:?} {:?} {}",
            self.cause(),
            self.faults,
            self.scenario.name
        );
        let hash = Sha256::digest(text.as_bytes());
        let hash = u16::from_be_bytes([hash[0], hash[1]]);
        let kind = self
            .object
            .split(['/', '.', ' '])
            .next()
            .unwrap_or_default();
        self.id = format!("{}-{kind}-{hash:04x}", self.class);
        self
    }
}

/// Returns a message of the API server without what differs between objects: the names before it, what it quotes, and numbers.
fn shape(says: &str) -> String {
    let message = says.split_once('(').map_or(says, |(_, message)| message);
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
    use crate::torture::snapshot::Mask;

    fn finding(class: Class, faults: Vec<Fault>, differences: Vec<Difference>) -> Finding {
        Finding {
            id: String::new(),
            class,
            object: "configmap/moo".into(),
            says: "configmap/moo is missing".into(),
            differences,
            scenario: Scenario::life(&json!({"kind": "Cow", "spec": {}}), &[], &[]),
            step: 0,
            faults,
            lasting: None,
            remedy: None,
            others: 0,
            examples: Vec::new(),
            entries: Vec::new(),
            log: String::new(),
        }
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
    fn one_refusal_of_two_objects_is_one_finding_with_an_example() {
        let refused = |object: &str, scenario: &str, message: &str| {
            let says = format!("{object} was refused ({message}), and the status does not say so");
            let mut finding = finding(Class::SilentRefusal, Vec::new(), Vec::new());
            (finding.object, finding.says) = (object.into(), says);
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
            (2, vec!["spec.b: it is made".to_owned()])
        );
    }

    #[test]
    fn what_the_operator_may_correct_later_is_said_to_be_so_and_comes_last() {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "moo"}});
        let (there, missing) = (Snapshot::of([&map], "t"), Snapshot::default());
        let differences = there.differences(&missing, &Mask::default());
        let says = |later: Option<[&Snapshot; 2]>| {
            let down = vec![Fault::Restart(RestartFault::Down, 0)];
            let finding = finding(Class::Missing, down, differences.clone());
            let later = later.map(|[waited, restarted]| Recovery {
                after_wait: waited.clone(),
                after_restart: restarted.clone(),
            });
            let found = finding.observe_recovery(later.as_ref());
            found.map(|found| (found.headline(), found.rank()))
        };
        let (stuck, heals) = (says(Some([&missing; 2])), says(Some([&missing, &there])));
        let stays_so =
            "what should be there is missing, and stays so when the operator is started again";
        assert_eq!(stuck, Some((stays_so.to_owned(), 1)));
        let not_yet =
            "what should be there is missing, not within 20 s; the operator may try again later";
        assert_eq!(
            heals,
            Some((format!("{not_yet}, and does when it is started again"), 2))
        );
        assert_eq!(says(None), Some((not_yet.to_owned(), 2)));
        assert_eq!(says(Some([&there; 2])), None, "it is there in time");
        let forbidden = finding(Class::Forbidden, Vec::new(), Vec::new());
        assert_eq!(forbidden.rank(), 0);
        assert_eq!(forbidden.headline(), Class::Forbidden.says());
    }
}
