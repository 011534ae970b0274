//! What the types of conditions mean, so that events about their changes can be normal or a warning.

use crate::condition::READY;

/// Types that report a problem by `True`, by the conventions of Kubernetes and its relatives.
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

/// Types that report what happens, which is neither good nor bad.
const NEUTRAL: [&str; 6] = [
    "Deleting",
    "Paused",
    "Progressing",
    "Reconciling",
    "Suspended",
    "Terminating",
];

/// Which status of a condition reports a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Polarity {
    /// `False`, as for `Ready`.
    Positive,
    /// `True`, as for `Degraded`.
    Negative,
    /// None, as for `Progressing`.
    Neutral,
}

/// How a controller publishes events about the conditions of its objects.
#[derive(Clone, Debug)]
pub(crate) struct ConditionEvents {
    /// The type that sums up the others, in which a failed reconcile is reported.
    pub summary: String,
    /// Types of negative polarity, in addition to those of the conventions.
    pub negative: Vec<String>,
    /// Types whose changes are not published.
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
    pub fn polarity(&self, type_: &str) -> Polarity {
        if NEGATIVE.contains(&type_) || self.negative.iter().any(|negative| negative == type_) {
            Polarity::Negative
        } else if NEUTRAL.contains(&type_) {
            Polarity::Neutral
        } else {
            Polarity::Positive
        }
    }

    pub fn is_silent(&self, type_: &str) -> bool {
        self.silent.iter().any(|silent| silent == type_)
    }
}
