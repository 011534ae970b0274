//! Helpers for conditions of the standard type, `metav1::Condition` of `k8s_openapi`.
//!
//! A condition states one fact about an object: its `type` is the question (`Ready`), its `status`
//! the answer, its `reason` one `CamelCase` word for programs, and its `message` a sentence for
//! people.
//!
//! ```
//! use rustop_manager::{Conditions as _, condition};
//!
//! let mut conditions = Vec::new();
//! conditions.set(condition::false_because("Ready", "Starting", "waiting for the first replica"));
//! assert!(!conditions.is_met("Ready"));
//! conditions.set(condition::true_because("Ready", "Serving", "the greeting is served"));
//! assert!(conditions.is_met("Ready") && conditions.len() == 1);
//! ```

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

use crate::clock;

/// The condition type that every controller should set. A failed reconcile is reported in it,
/// unless the controller has another [`summary_condition`](crate::Controller::summary_condition).
pub const READY: &str = "Ready";

/// Returns a condition with status `True`. `reason` is one `CamelCase` word, `message` a sentence.
/// `lastTransitionTime` is the current time, in whole seconds; `observedGeneration` is set when the
/// status is written.
///
/// ```
/// # use rustop_manager::condition;
/// let ready = condition::true_because("Ready", "Serving", "the greeting is served");
/// assert_eq!(ready.status, "True");
/// ```
#[must_use]
pub fn true_because(type_: &str, reason: &str, message: impl Into<String>) -> Condition {
    condition(type_, "True", reason, message.into())
}

/// Returns a condition with status `False`; see [`true_because`] for the other fields.
///
/// ```
/// # use rustop_manager::condition;
/// let ready = condition::false_because("Ready", "Starting", "waiting for the first replica");
/// assert_eq!(ready.status, "False");
/// ```
#[must_use]
pub fn false_because(type_: &str, reason: &str, message: impl Into<String>) -> Condition {
    condition(type_, "False", reason, message.into())
}

/// Does the same as [`true_because`].
#[deprecated(note = "use `true_because`")]
#[must_use]
pub fn met(type_: &str, reason: &str, message: impl Into<String>) -> Condition {
    true_because(type_, reason, message)
}

/// Does the same as [`false_because`].
#[deprecated(note = "use `false_because`")]
#[must_use]
pub fn unmet(type_: &str, reason: &str, message: impl Into<String>) -> Condition {
    false_because(type_, reason, message)
}

/// Returns a condition with status `Unknown`; see [`true_because`] for the other fields.
///
/// ```
/// # use rustop_manager::condition;
/// let ready = condition::unknown("Ready", "Unreachable", "the database does not answer");
/// assert_eq!(ready.status, "Unknown");
/// ```
#[must_use]
pub fn unknown(type_: &str, reason: &str, message: impl Into<String>) -> Condition {
    condition(type_, "Unknown", reason, message.into())
}

fn condition(type_: &str, status: &str, reason: &str, message: String) -> Condition {
    let now = clock::now();
    Condition {
        type_: type_.to_owned(),
        status: status.to_owned(),
        reason: reason.to_owned(),
        message,
        // Writing the status sets the generation that the reconcile saw.
        observed_generation: None,
        // Kubernetes stores this time in whole seconds.
        last_transition_time: Time(jiff::Timestamp::from_second(now.as_second()).unwrap_or(now)),
    }
}

/// A list of conditions with at most one of each type.
///
/// Implemented for `Vec<Condition>` and, with the feature `dynamic`, for JSON values such as those
/// in the status of a `DynamicObject`. A JSON value that is not an array counts as empty, and `set`
/// replaces it by an array.
pub trait Conditions {
    /// The type of one condition in the list.
    type Item;

    /// Adds a condition, or replaces the one of the same type. If the status is unchanged,
    /// `lastTransitionTime` keeps its old value.
    fn set(&mut self, condition: Condition);

    /// Returns the condition of this type, or `None` if the list has none.
    fn of_type(&self, type_: &str) -> Option<&Self::Item>;

    /// Returns true if the list has a condition of this type with status `True`.
    fn is_met(&self, type_: &str) -> bool;
}

impl Conditions for Vec<Condition> {
    type Item = Condition;

    fn set(&mut self, mut condition: Condition) {
        let Some(old) = self.iter_mut().find(|old| old.type_ == condition.type_) else {
            self.push(condition);
            return;
        };
        if old.status == condition.status {
            condition.last_transition_time = old.last_transition_time.clone();
        }
        *old = condition;
    }

    fn of_type(&self, type_: &str) -> Option<&Condition> {
        self.iter().find(|condition| condition.type_ == type_)
    }

    fn is_met(&self, type_: &str) -> bool {
        self.of_type(type_)
            .is_some_and(|condition| condition.status == "True")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(mut condition: Condition, second: i64) -> Condition {
        condition.last_transition_time = Time(jiff::Timestamp::from_second(second).unwrap());
        condition
    }

    #[test]
    fn the_time_of_transition_is_kept_while_the_status_is() {
        let mut conditions = vec![at(false_because(READY, "Starting", "no replica"), 1)];
        conditions.set(at(false_because(READY, "Waiting", "still none"), 2));
        assert_eq!(conditions[0].reason, "Waiting");
        assert_eq!(conditions[0].last_transition_time.0.as_second(), 1);
        conditions.set(at(true_because(READY, "Serving", "one replica"), 3));
        assert_eq!(conditions[0].last_transition_time.0.as_second(), 3);
        assert_eq!(conditions.len(), 1);
    }

    #[test]
    fn types_do_not_disturb_each_other() {
        let mut conditions = vec![at(true_because("Stored", "Done", ""), 1)];
        conditions.set(at(false_because(READY, "Starting", ""), 2));
        assert_eq!(conditions.len(), 2);
        assert!(conditions.is_met("Stored"));
        assert!(!conditions.is_met(READY));
        assert!(!conditions.is_met("Unheard"));
        assert_eq!(
            conditions
                .of_type("Stored")
                .unwrap()
                .last_transition_time
                .0
                .as_second(),
            1
        );
    }

    #[test]
    fn a_new_condition_has_no_fractional_seconds() {
        assert_eq!(
            unknown(READY, "Lost", "")
                .last_transition_time
                .0
                .subsec_nanosecond(),
            0
        );
    }
}
