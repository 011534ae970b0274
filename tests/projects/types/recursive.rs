//! A type that contains itself.

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
    /// Where to begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<Box<Node>>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Node {
    /// What is below.
    pub children: Vec<Node>,
}
