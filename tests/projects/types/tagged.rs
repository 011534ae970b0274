//! An enum with an internal tag.

use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
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
    /// Its form.
    pub shape: Shape,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "form")]
pub enum Shape {
    Round { size: i32 },
    Named { size: String },
}
