//! The Cow API: the image and the number of replicas, and their state.

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

/// The desired state. Every field has a default.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "web.my.domain",
    version = "v1alpha1",
    kind = "Cow",
    plural = "cows",
    namespaced,
    status = "CowStatus",
    doc = "The schema of the cows API.",
    // Names of custom resources may be longer than names of Services.
    validation = Rule::new("self.metadata.name.matches('^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$')").message("metadata.name must be that of a Service, too: at most 63 of a-z, 0-9 and -, a letter first"),
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    ),
    printcolumn(name = "Image", type_ = "string", json_path = ".spec.image"),
    printcolumn(name = "Wanted", type_ = "integer", json_path = ".spec.replicas"),
    printcolumn(
        name = "Available",
        type_ = "integer",
        json_path = ".status.availableReplicas"
    ),
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
pub struct CowSpec {
    /// The image, with a tag or a digest.
    #[serde(default = "default_image")]
    #[schemars(length(max = 500))]
    #[x_kube(validation = Rule::new("self.matches('^[^ ]+[:@][^ /]+$')").message("must name a tag or a digest, such as localhost:5000/cow:v1"))]
    pub image: String,

    /// The number of Pods.
    #[serde(default = "default_replicas")]
    #[schemars(range(min = 0, max = 100))]
    pub replicas: i32,

    /// The port of the container and of the Service.
    #[serde(default = "default_container_port")]
    #[schemars(range(min = 1, max = 65535))]
    pub container_port: i32,
}

fn default_image() -> String {
    "localhost:5000/cow:v1".to_owned()
}

fn default_replicas() -> i32 {
    1
}

fn default_container_port() -> i32 {
    8080
}

impl Default for CowSpec {
    fn default() -> Self {
        Self {
            image: default_image(),
            replicas: default_replicas(),
            container_port: default_container_port(),
        }
    }
}

/// The observed state, written only by the operator.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct CowStatus {
    /// The generation of the spec that the rest of the status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// The number of Pods, including those of an older image; `kubectl scale` reads it.
    #[serde(default)]
    pub replicas: i32,

    /// The number of available Pods.
    #[serde(default)]
    pub available_replicas: i32,

    /// The label selector of the Pods, for autoscalers.
    #[serde(default)]
    pub selector: String,

    /// `Ready` is true while all Pods match the spec.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<meta::Condition>,
}
