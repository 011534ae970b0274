//! The MultiSecret API: a Secret, and the namespaces that get one.

use std::collections::BTreeMap;

use k8s_openapi::{ByteString, apimachinery::pkg::apis::meta::v1 as meta};
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

/// The desired state.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "multi.ddnw.ml",
    version = "v1alpha1",
    kind = "MultiSecret",
    plural = "multisecrets",
    namespaced,
    status = "MultiSecretStatus",
    doc = "A Secret in many namespaces.",
    printcolumn(name = "Wanted", type_ = "integer", json_path = ".status.wanted"),
    printcolumn(name = "Created", type_ = "integer", json_path = ".status.created"),
    printcolumn(name = "Changed", type_ = "date", json_path = ".status.changeTime")
)]
#[serde(rename_all = "camelCase")]
pub struct MultiSecretSpec {
    /// What is secret, in base64.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(
        with = "BTreeMap<String, String>",
        extend("additionalProperties" = {"type": "string", "format": "byte"})
    )]
    pub data: BTreeMap<String, ByteString>,

    /// What is secret, as text. A key that is also in `data` has this value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub string_data: BTreeMap<String, String>,

    /// The type of the Secrets. Kubernetes does not let it be changed.
    #[serde(default = "opaque", rename = "type")]
    #[x_kube(validation = Rule::new("self == oldSelf").message("cannot be changed; make another MultiSecret"))]
    pub type_: String,

    /// Which namespaces get a Secret, by their labels. All of them if not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<meta::LabelSelector>,
}

fn opaque() -> String {
    "Opaque".to_owned()
}

/// The observed state, written by the operator alone.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct MultiSecretStatus {
    /// How many namespaces should have a Secret.
    #[serde(default)]
    pub wanted: i32,

    /// How many have one that is as it should be.
    #[serde(default)]
    pub created: i32,

    /// When these numbers last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_time: Option<meta::Time>,

    /// `Ready` tells whether every namespace has its Secret.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<meta::Condition>,
}
