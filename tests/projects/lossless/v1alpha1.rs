//! A cow as it was: of a breed, with a herd of friends.

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The desired state.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "my.domain",
    version = "v1alpha1",
    kind = "Lolcow",
    plural = "lolcows",
    namespaced,
    // STORAGE
    status = "LolcowStatus"
)]
#[serde(rename_all = "camelCase")]
pub struct LolcowSpec {
    /// Of what kind it is.
    pub breed: Breed,
    /// How heavy, in kg.
    pub weight: u16,
    /// Whom it likes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub friends: Vec<Friend>,
    /// What it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Where it belongs. No other version has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub herd: Option<String>,
}

/// Of what kind a cow is.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub enum Breed {
    /// From the mountains.
    Highland,
    /// From the sea.
    Jersey,
}

/// Another cow.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Friend {
    /// What it is called.
    pub name: String,
    /// How close it may come, in m.
    pub distance: u8,
}

/// The observed state, written by the operator alone.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct LolcowStatus {
    /// The generation of the spec that the rest of the status is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// `Ready` tells whether all is as the spec asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<meta::Condition>,
}
