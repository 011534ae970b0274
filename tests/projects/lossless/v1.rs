//! A cow as it is: friends are a map, and what it says is text.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The desired state.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
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
    /// Of what kind it is.
    pub kind: Breed,
    /// How heavy, in g.
    pub grams: u32,
    /// Whom it likes, and how close each may come, in m.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub friends: BTreeMap<String, u8>,
    /// What it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How it feels. No other version has it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moods: Vec<String>,
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
