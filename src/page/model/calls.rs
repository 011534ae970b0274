//! Requests of the operator.

use serde_json::{Value, json};

use crate::page::call::Call;

/// A request, and the object in whose lane it belongs.
#[derive(Debug)]
pub struct Made {
    pub at: u64,
    pub call: Call,
    /// The uid of what it is about.
    pub lane: Option<String>,
}

impl Made {
    /// What a page is told.
    pub fn message(&self, number: u64) -> Value {
        json!({"t": "call", "n": number, "at": self.at, "call": self.call,
            "writes": self.call.writes(), "uid": self.lane})
    }
}
