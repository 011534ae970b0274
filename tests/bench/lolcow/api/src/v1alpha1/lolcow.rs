//! The Lolcow API: a cow that says something.

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

/// The desired state.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "my.domain",
    version = "v1alpha1",
    kind = "Lolcow",
    plural = "lolcows",
    namespaced,
    status = "LolcowStatus",
    doc = "The schema of the lolcows API.",
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status"
    )
)]
#[serde(rename_all = "camelCase")]
pub struct LolcowSpec {
    /// What the cow says.
    #[schemars(length(min = 1, max = 100))]
    pub greeting: String,
}

/// The observed state, written by the operator alone.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct LolcowStatus {
    /// The generation of the spec that the rest of the status is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// `Ready` tells whether the greeting is on show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<meta::Condition>,
}
