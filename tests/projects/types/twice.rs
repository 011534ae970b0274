//! A type that derives its schema twice.

use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

/// The desired state.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(
    group = "my.domain",
    version = "v1alpha1",
    kind = "Lolcow",
    plural = "lolcows",
    namespaced
)]
#[serde(rename_all = "camelCase")]
pub struct LolcowSpec {
    /// What to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
}

/// What is said.
#[derive(KubeSchema, schemars::JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Message {
    /// The words.
    pub text: String,
}
