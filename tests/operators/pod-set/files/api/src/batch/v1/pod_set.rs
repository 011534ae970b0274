//! The PodSet API: a number of Pods, all alike.

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

/// The desired state.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "batch.tutorial.kubebuilder.io",
    version = "v1",
    kind = "PodSet",
    plural = "podsets",
    namespaced,
    status = "PodSetStatus",
    doc = "A number of Pods, all alike.",
    printcolumn(name = "Wanted", type_ = "integer", json_path = ".spec.replicas"),
    printcolumn(name = "Ready", type_ = "integer", json_path = ".status.readyReplicas"),
    printcolumn(
        name = "Age",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    )
)]
#[serde(rename_all = "camelCase")]
pub struct PodSetSpec {
    /// How many Pods there should be.
    #[schemars(range(min = 0, max = 1000))]
    pub replicas: i32,
}

/// The observed state, written by the operator alone.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct PodSetStatus {
    /// How many Pods are ready.
    #[serde(default)]
    pub ready_replicas: i32,

    /// The names of all Pods that count, ready or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pod_names: Vec<String>,

    /// `Ready` tells whether as many Pods are ready as there should be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<meta::Condition>,
}
