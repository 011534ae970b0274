//! The conditions in the status of an object, as the page receives them.

use k8s_openapi::jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A condition like `metav1.Condition`. Fields that the object does not set are empty.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Condition {
    /// For example `Ready`.
    pub r#type: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    pub reason: String,
    pub message: String,
    /// The time of the last transition as text, read from the object.
    #[serde(skip_serializing)]
    last_transition_time: Option<String>,
    /// The generation that the condition describes.
    pub observed_generation: Option<i64>,
    /// The time of the last transition in microseconds since 1970; `None` if the object has none or
    /// an invalid one.
    #[serde(skip_deserializing)]
    pub at: Option<u64>,
}

impl Condition {
    /// Returns `status.conditions` of an object. Leaves out entries that are not objects, or in
    /// which a field has the wrong type.
    pub fn of(object: &Value) -> Vec<Self> {
        let all = object.pointer("/status/conditions");
        let all = all.and_then(Value::as_array).into_iter().flatten();
        let read = all.filter_map(|one| Self::deserialize(one).ok());
        read.map(|mut one| {
            one.at = one.last_transition_time.as_deref().and_then(micros);
            one
        })
        .collect()
    }

    /// Returns true if the status is `True`.
    pub fn is_true(&self) -> bool {
        self.status == "True"
    }
}

/// Parses an RFC 3339 timestamp into microseconds since 1970. Returns `None` if it is invalid or
/// earlier.
pub fn micros(time: &str) -> Option<u64> {
    let at: Timestamp = time.parse().ok()?;
    u64::try_from(at.as_microsecond()).ok()
}
