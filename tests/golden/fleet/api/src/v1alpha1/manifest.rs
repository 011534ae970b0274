//! The Manifest API: the spec that users write and the status that the operator reports.

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The desired state.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "example.com",
    version = "v1alpha1",
    kind = "Manifest",
    plural = "manifests",
    namespaced,
    status = "ManifestStatus",
    doc = "The schema of the manifests API.",
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status"
    ),
    printcolumn(
        name = "Age",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    )
)]
#[serde(rename_all = "camelCase")]
pub struct ManifestSpec {
    // TODO(user): replace this example with the fields of your kind (book: docs/tutorial/api.md).
    // `make manifests` turns the types, their comments and their rules into the schema in config/crd.
    /// What to say, up to 100 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    #[x_kube(validation = Rule::new("self.trim() != ''").message("must not be blank"))]
    pub message: Option<String>,
}

/// The observed state, written only by the operator.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct ManifestStatus {
    /// The generation of the spec that the rest of the status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// `Ready` is true while the cluster matches the spec.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<meta::Condition>,
}
