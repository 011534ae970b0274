//! Conditions, as objects of all kinds have them.

use k8s_openapi::jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a condition says.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Condition {
    /// `Ready`.
    pub r#type: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// A word.
    pub reason: String,
    /// A sentence.
    pub message: String,
    /// Since when, as the object has it.
    #[serde(skip_serializing)]
    last_transition_time: Option<String>,
    /// The generation that it is about.
    pub observed_generation: Option<i64>,
    /// Since when, in microseconds since 1970.
    #[serde(skip_deserializing)]
    pub at: Option<u64>,
}

impl Condition {
    /// Those of an object; what is none is left out.
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

    /// Whether it says yes.
    pub fn is_true(&self) -> bool {
        self.status == "True"
    }
}

/// A time as Kubernetes writes it.
pub fn micros(time: &str) -> Option<u64> {
    let at: Timestamp = time.parse().ok()?;
    u64::try_from(at.as_microsecond()).ok()
}
