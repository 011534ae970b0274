//! The kind of the operator.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A text that the operator writes into a ConfigMap.
#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(
    group = "notes.example.com",
    version = "v1",
    kind = "Note",
    namespaced,
    status = "NoteStatus",
    doc = "A text that the operator writes into a ConfigMap."
)]
pub struct NoteSpec {
    /// The text.
    #[schemars(length(min = 1, max = 200))]
    pub text: String,
}

/// The observed state of a note.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct NoteStatus {
    /// The text in the ConfigMap.
    pub written: String,
}
