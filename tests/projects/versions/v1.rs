//! The Lolcow API as it is: a cow has a volume, and moods.

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

/// The desired state.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "my.domain",
    version = "v1",
    kind = "Lolcow",
    plural = "lolcows",
    namespaced,
    // STORAGE
    status = "LolcowStatus"
)]
#[serde(rename_all = "camelCase")]
pub struct LolcowSpec {
    /// What to say, up to 100 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100))]
    pub text: Option<String>,
    /// How loud, from 0 to 11.
    #[serde(default)]
    #[schemars(range(max = 11))]
    pub volume: u8,
    /// How it feels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moods: Vec<String>,
}

/// The observed state, written by the operator alone.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct LolcowStatus {
    /// The generation of the spec that the rest of the status is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// `Ready` tells whether all is as the spec asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<meta::Condition>,
}
