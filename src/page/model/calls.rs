//! Requests of the operator to the API server.

use serde_json::{Value, json};

use crate::page::call::Call;

/// A request with its time, and the object in whose lane the timeline shows it.
#[derive(Debug)]
pub struct TimedCall {
    /// The time of the request, in microseconds since 1970.
    pub at: u64,
    /// The request with its response.
    pub call: Call,
    /// The uid of the object that the request is about, if the page shows it.
    pub lane: Option<String>,
}

impl TimedCall {
    /// Returns the message for the page. `number` is that of the request in the store.
    pub fn message(&self, number: u64) -> Value {
        json!({"t": "call", "n": number, "at": self.at, "call": self.call,
            "writes": self.call.writes(), "uid": self.lane})
    }
}
