//! The Herd API: a status in which several have their part.

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The desired state.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "my.domain",
    version = "v1alpha1",
    kind = "Herd",
    plural = "herds",
    namespaced,
    status = "HerdStatus",
    doc = "The schema of the herds API."
)]
#[serde(rename_all = "camelCase")]
pub struct HerdSpec {
    /// What both controllers say, or how one of them misbehaves.
    pub message: String,
}

/// The observed state.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct HerdStatus {
    /// Written by the one controller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,

    /// Written by the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<String>,

    /// What the other one knows of the one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heard: Option<String>,

    /// Written by neither, unless it is to be too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,

    /// A list that is one value.
    #[serde(default)]
    pub seen: Vec<String>,

    /// One of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<meta::Condition>,
}
