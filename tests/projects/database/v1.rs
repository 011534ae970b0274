//! The Database API as it became.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The desired state.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "my.domain",
    version = "v1",
    kind = "Database",
    plural = "databases",
    namespaced,
    storage = false,
    status = "DatabaseStatus",
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.instances"
    )
)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseSpec {
    /// Which engine, in which version: `Postgres/17`.
    #[schemars(regex(pattern = r"^(Postgres|MySql)/[0-9]{1,3}$"))]
    pub engine: String,
    /// How many instances.
    #[serde(default)]
    #[schemars(range(min = 0, max = 5))]
    pub replicas: i32,
    /// How large the volume is.
    pub storage_size: Quantity,
    /// Of which class it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_class: Option<String>,
    /// Who may log in, and what they may do.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub users: BTreeMap<String, Grant>,
    /// When to save it all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<Backup>,
    /// Where the certificate comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<Tls>,
    /// What the Pods are like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<PodTemplateSpec>,
    /// Who pays.
    pub owner: String,
}

/// What somebody may do.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    /// By their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub privileges: Vec<String>,
}

/// When to save what is there.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Backup {
    /// As for cron.
    pub schedule: String,
    /// How many of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<u32>,
}

/// Where a certificate comes from.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub enum Tls {
    /// A Secret that is there.
    Secret(Reference),
    /// Somebody who makes one.
    Issuer(Reference),
}

/// The name of another object.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Reference {
    /// The name.
    pub name: String,
}

/// The observed state, written by the operator alone.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseStatus {
    /// The generation of the spec that the rest of the status is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// How many instances there are.
    #[serde(default)]
    pub instances: i32,
    /// `Ready` tells whether all is as the spec asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<meta::Condition>,
    /// Where it answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub endpoints: Vec<Endpoint>,
}

/// Where a database answers.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Endpoint {
    /// What for.
    pub name: String,
    /// At which name.
    pub host: String,
    /// At which port.
    pub port: u16,
}
