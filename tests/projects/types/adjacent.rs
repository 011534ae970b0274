//! An enum with its tag beside the content.

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
#[serde(tag = "form", content = "with")]
pub enum Shape {
    Round { radius: i32 },
    Square { side: i32 },
}
