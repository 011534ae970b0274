//! Types of which the API server drops, or does not check, what Rust reads and writes.

use std::net::IpAddr;

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
    namespaced,
    status = "LolcowStatus"
)]
#[serde(rename_all = "camelCase")]
pub struct LolcowSpec {
    /// A picture, which had another name.
    #[serde(alias = "picture")]
    pub image: String,
    /// Written otherwise than read.
    #[serde(rename(serialize = "loudness", deserialize = "volume"))]
    pub volume: i32,
    /// An address.
    pub address: IpAddr,
    /// An address that is checked.
    #[x_kube(validation = "isIP(self)")]
    pub checked: IpAddr,
    /// How to replace it.
    pub strategy: Strategy,
}

/// How to replace a cow.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
pub enum Strategy {
    /// The old one goes first.
    Recreate {},
    /// The new one comes first.
    RollingUpdate {
        /// How many more.
        #[serde(alias = "maxSurge")]
        surge: i32,
    },
}

/// The observed state.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub struct LolcowStatus {
    /// What only the operator writes.
    #[serde(skip_deserializing)]
    pub seen: i32,
}
