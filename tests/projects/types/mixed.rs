//! An enum of which some variants have fields.

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
pub enum Shape {
    Round { radius: i32 },
    None,
}
