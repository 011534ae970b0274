//! The Instance API: a machine in the cloud, which costs money for as long as it is there.

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

/// The desired state.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "cloud.example.com",
    version = "v1alpha1",
    kind = "Instance",
    plural = "instances",
    namespaced,
    status = "InstanceStatus",
    doc = "A machine in the cloud.",
    printcolumn(name = "Size", type_ = "string", json_path = ".spec.size"),
    printcolumn(name = "Machine", type_ = "string", json_path = ".status.machine"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status"
    )
)]
#[serde(rename_all = "camelCase")]
pub struct InstanceSpec {
    /// How large the machine is, in the cloud's words: `small`, `medium` or `large`.
    #[x_kube(validation = Rule::new("self in ['small', 'medium', 'large']").message("must be small, medium or large"))]
    pub size: String,
}

/// The observed state, written by the operator alone.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct InstanceStatus {
    /// How the cloud calls the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,

    /// `Ready` tells whether the machine is there, as it should be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<meta::Condition>,
}
