//! Types that have no schema which the API server takes.

use std::collections::BTreeMap;

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
    /// Anything.
    pub value: serde_json::Value,
    /// A number or a text.
    pub untagged: Untagged,
    /// Two things without names.
    pub pair: (String, i32),
    /// Nothing.
    pub nothing: (),
    /// Keys that are no strings.
    pub by_number: BTreeMap<i32, String>,
    /// A default that is not allowed.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub replicas: i32,
    /// A set of structs.
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub set: Vec<Port>,
    /// A list by a key that may be missing.
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub ports: Vec<Port>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
pub enum Untagged {
    Number(i32),
    Text(String),
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Port {
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}
