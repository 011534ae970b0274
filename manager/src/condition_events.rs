//! The meaning of condition types, which decides whether an event about a change is normal or a
//! warning.

use crate::condition::READY;

/// Types that report a problem with `True`, by the conventions of Kubernetes and of projects around
/// it.
const NEGATIVE: [&str; 12] = [
    "Degraded",
    "Dangling",
    "DiskPressure",
    "Failed",
    "FailureTarget",
    "MemoryPressure",
    "NamesConflict",
    "NetworkUnavailable",
    "NonStructuralSchema",
    "PIDPressure",
    "ReplicaFailure",
    "Stalled",
];

/// Types that report an activity, which is neither good nor bad.
const NEUTRAL: [&str; 6] = [
    "Deleting",
    "Paused",
    "Progressing",
    "Reconciling",
    "Suspended",
    "Terminating",
];

/// The status with which a condition reports a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Polarity {
    /// `False`, as for `Ready`.
    Positive,
    /// `True`, as for `Degraded`.
    Negative,
    /// None, as for `Progressing`.
    Neutral,
}

/// A controller's settings for events about the conditions of its objects.
#[derive(Clone, Debug)]
pub(crate) struct ConditionEvents {
    /// The type that summarizes the others. A failed reconcile is reported in it.
    pub summary: String,
    /// Types of negative polarity in addition to `NEGATIVE`. They may also be of `NEUTRAL`.
    pub negative: Vec<String>,
    /// Types whose changes are not published as events.
    pub silent: Vec<String>,
}

impl Default for ConditionEvents {
    fn default() -> Self {
        Self {
            summary: READY.to_owned(),
            negative: Vec::new(),
            silent: Vec::new(),
        }
    }
}

impl ConditionEvents {
    /// Returns the status with which conditions of this type report a problem.
    pub fn polarity(&self, type_: &str) -> Polarity {
        if NEGATIVE.contains(&type_) || self.negative.iter().any(|negative| negative == type_) {
            Polarity::Negative
        } else if NEUTRAL.contains(&type_) {
            Polarity::Neutral
        } else {
            Polarity::Positive
        }
    }

    /// Returns true if changes of conditions of this type are not published as events.
    pub fn is_silent(&self, type_: &str) -> bool {
        self.silent.iter().any(|silent| silent == type_)
    }
}
