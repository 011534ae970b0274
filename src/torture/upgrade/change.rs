//! The changes that a new version of an operator makes although no spec changed, each with its
//! effect. The rehearsal of an upgrade finds them by comparing the objects before and after the new
//! version takes over.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The effect of a change on running workloads and stored data.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// The new version deletes or replaces a claim, a Secret or a custom resource, or its CRD loses
    /// a value.
    DeletesData,
    /// The API server rejects a stored object, or the new version cannot decode it.
    Unreadable,
    /// The API server rejects a write to an immutable field.
    RefusedAsImmutable,
    /// The API server rejects a write for another reason.
    Refused,
    /// The new version lacks a permission.
    Forbidden,
    /// The new version panics or exits.
    Crashes,
    /// The new version writes in a hot loop.
    HotLoop,
    /// The versions overwrite each other's writes while both run.
    ConflictingWrites,
    /// After a crash of the new version in the middle of the upgrade, or after a rolling update,
    /// the result differs from that of an undisturbed upgrade.
    NotResumed,
    /// The old version cannot take over again.
    OneWay,
    /// A child, a finalizer, an owner or a field of the old version stays.
    Orphaned,
    /// An old object does not become what the new version creates for a new one.
    NotUpdated,
    /// A pod template changes, or a Pod is replaced.
    RestartsPods,
    /// A Service or an Ingress selects other Pods or is replaced.
    ChangesTraffic,
    /// The new version deletes another child.
    Removes,
    /// An allowance matches no change.
    StaleAllowance,
    /// A change with no other effect. It does not fail the rehearsal.
    Harmless,
}

impl Effect {
    /// Returns the name in reports and allowances: `restarts-pods`.
    pub fn name(self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        value.as_str().unwrap_or_default().to_owned()
    }

    /// Returns the description in reports.
    pub fn describe(self) -> &'static str {
        match self {
            Self::DeletesData => "the upgrade deletes or replaces stored data",
            Self::Unreadable => "the new version cannot use an object that the old one stored",
            Self::RefusedAsImmutable => {
                "the API server rejects writes of the new version to an immutable field"
            }
            Self::Refused => "the API server rejects writes of the new version",
            Self::Forbidden => "the role of the new version lacks a permission",
            Self::Crashes => "the new version crashes on objects of the old one",
            Self::HotLoop => "the new version does not settle on objects of the old one",
            Self::ConflictingWrites => {
                "the versions overwrite each other's writes during a rolling update"
            }
            Self::NotResumed => "the upgrade does not complete after a crash or a rolling update",
            Self::OneWay => "the upgrade is one-way: the old version cannot take over again",
            Self::Orphaned => "nothing removes an object or a field of the old version",
            Self::NotUpdated => {
                "an object of the old version stays different from one that the new version creates"
            }
            Self::RestartsPods => "the upgrade restarts Pods",
            Self::ChangesTraffic => "the upgrade changes the targets of traffic",
            Self::Removes => "the upgrade deletes a child",
            Self::StaleAllowance => "an allowance matches no change of this upgrade",
            Self::Harmless => "the upgrade writes this without a restart of Pods",
        }
    }

    /// Reports whether a change with this effect fails the rehearsal unless it is allowed.
    pub fn is_harmful(self) -> bool {
        self != Self::Harmless
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// A change of one field of one object, or of the whole object.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectDifference {
    pub effect: Effect,
    /// `deployment/moo`
    pub object: String,
    /// Empty for the whole object.
    pub field: String,
    /// `None` if the field or the object did not exist.
    pub before: Option<String>,
    /// `None` if the field or the object no longer exists.
    pub after: Option<String>,
    /// An explanation for the report, such as the message of the API server; empty if the values
    /// explain the change.
    pub reason: String,
    /// The name of the first rehearsed state in which the change shows: `lolcow/sample: spec.size
    /// is 3`.
    pub state: String,
    /// The number of other rehearsed states with the same change.
    pub others: usize,
    /// The reason of the allowance that covers the change; `None` if it is not allowed.
    pub allowed: Option<String>,
}

impl ObjectDifference {
    /// Creates a change of a field of an object, or of the whole object if `field` is empty.
    /// [`merge`] sets the state.
    pub fn new(effect: Effect, object: impl Into<String>, field: impl Into<String>) -> Self {
        Self {
            effect,
            object: object.into(),
            field: field.into(),
            before: None,
            after: None,
            reason: String::new(),
            state: String::new(),
            others: 0,
            allowed: None,
        }
    }

    /// Sets the values before and after the upgrade.
    #[must_use]
    pub fn values(mut self, before: Option<String>, after: Option<String>) -> Self {
        (self.before, self.after) = (before, after);
        self
    }

    /// Sets the explanation for the report.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = reason.into();
        self
    }

    /// Reports whether the change fails the rehearsal.
    pub fn fails(&self) -> bool {
        self.effect.is_harmful() && self.allowed.is_none()
    }

    /// Returns a key that the same change has in other states. Numbered children count as one. The
    /// reasons of changes of a whole object are compared without their words that contain digits,
    /// such as times, line numbers and namespaces.
    fn cause(&self) -> (Effect, String, String, String) {
        let object = self.object.trim_end_matches(|c: char| c.is_ascii_digit());
        let mut reason = String::new();
        if self.field.is_empty() {
            let words = self.reason.split_whitespace();
            let words = words.filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
            reason = words.collect::<Vec<_>>().join(" ");
        }
        (self.effect, object.to_owned(), self.field.clone(), reason)
    }
}

/// `spec.replicas: 3 -> 1`, without the object.
impl fmt::Display for ObjectDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if !self.field.is_empty() {
            write!(f, "{}", self.field)?;
            separator = ": ";
        }
        match (&self.before, &self.after) {
            (None, None) => {}
            (Some(value), Some(same)) if value == same => write!(f, "{separator}{value}")?,
            (before, after) => {
                let text =
                    |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".into());
                write!(f, "{separator}{} -> {}", text(before), text(after))?;
            }
        }
        if !self.reason.is_empty() {
            let separator = if self.before.is_some() || self.after.is_some() {
                "; "
            } else {
                separator
            };
            write!(f, "{separator}{}", self.reason)?;
        }
        Ok(())
    }
}

/// Merges the same changes of different states into one, whose `others` counts the further states.
/// Each item of `states` is the name of a state and its changes. The most harmful come first.
pub fn merge(
    states: impl IntoIterator<Item = (String, Vec<ObjectDifference>)>,
) -> Vec<ObjectDifference> {
    let mut all: BTreeMap<_, Vec<(String, ObjectDifference)>> = BTreeMap::new();
    for (state, changes) in states {
        for change in changes {
            let same = all.entry(change.cause()).or_default();
            // Two numbered children of one state are one change.
            if same.last().is_none_or(|(known, _)| *known != state) {
                same.push((state.clone(), change));
            }
        }
    }
    let merged = all.into_values().filter_map(|same| {
        let others = same.len() - 1;
        let (state, first) = same.into_iter().next()?;
        Some(ObjectDifference {
            state,
            others,
            ..first
        })
    });
    merged.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_in_several_states_is_one_change() {
        let change = |object: &str| {
            ObjectDifference::new(Effect::RestartsPods, object, "spec.template.x")
                .values(Some("1".into()), Some("2".into()))
        };
        let harmless = ObjectDifference::new(Effect::Harmless, "service/a", "metadata.labels.b");
        let merged = merge([
            (
                "sample".to_owned(),
                vec![harmless, change("pod/a-1"), change("pod/a-2")],
            ),
            (
                "spec.size is 3".to_owned(),
                vec![change("pod/a-3"), change("pod/a-4")],
            ),
        ]);
        let [first, second] = &merged[..] else {
            panic!("{merged:?}")
        };
        assert_eq!((first.object.as_str(), first.others), ("pod/a-1", 1));
        assert_eq!(first.state, "sample");
        assert_eq!(first.to_string(), "spec.template.x: 1 -> 2");
        assert!(first.fails() && !second.fails());
    }

    #[test]
    fn distinct_reasons_are_distinct_changes() {
        let change =
            |reason: &str| ObjectDifference::new(Effect::Refused, "service/a", "").because(reason);
        let merged = merge([
            (
                "sample".to_owned(),
                vec![
                    change("at 10:01 spec.x: Invalid"),
                    change("spec.y: Required"),
                ],
            ),
            ("other".to_owned(), vec![change("at 10:02 spec.x: Invalid")]),
        ]);
        let found: Vec<_> = merged
            .iter()
            .map(|it| (it.reason.as_str(), it.others))
            .collect();
        assert_eq!(
            found,
            [("at 10:01 spec.x: Invalid", 1), ("spec.y: Required", 0)]
        );
    }

    #[test]
    fn a_change_without_values_shows_its_reason() {
        let change =
            ObjectDifference::new(Effect::Refused, "service/a", "").because("spec.x: Invalid");
        assert_eq!(change.to_string(), "spec.x: Invalid");
        let change = ObjectDifference::new(Effect::Orphaned, "service/a", "metadata.finalizers")
            .values(Some("a/b".into()), Some("a/b".into()))
            .because("nothing removes it");
        assert_eq!(
            change.to_string(),
            "metadata.finalizers: a/b; nothing removes it"
        );
    }
}
