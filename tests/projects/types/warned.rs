//! Types that the API server takes, and that lose data or break a convention.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::{PodTemplateSpec, Toleration};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::runtime::RawExtension;
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
    printcolumn(name = "Secret", type_ = "string", json_path = ".spec.secret_reference"),
    printcolumn(name = "Width", type_ = "integer", json_path = ".spec.size.width")
)]
#[serde(rename_all = "camelCase")]
pub struct LolcowSpec {
    /// Any object of Kubernetes.
    pub raw: RawExtension,
    /// Any JSON object.
    pub object: serde_json::Map<String, serde_json::Value>,
    /// Not negative.
    pub unsigned: u32,
    /// A fraction.
    pub ratio: f64,
    /// A span of time.
    pub timeout: Duration,
    /// A list that is replaced whole.
    pub names: Vec<String>,
    /// A list of structs that may be empty.
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub ports: Vec<Port>,
    /// A map to numbers.
    pub sizes: BTreeMap<String, i32>,
    /// A null.
    pub comment: Option<String>,
    /// The name of a phase.
    pub phase: String,
    pub start_timestamp: String,
    /// Something else.
    pub secret_reference: String,
    // rustop:allow(no-phase): users know it by that name
    /// Another phase.
    pub moon_phase: String,
    // rustop:allow(no-phase): there is none
    /// No phase.
    pub moon: String,
    /// A number or an object.
    pub size: Size,
    /// What is inside is Kubernetes' own.
    pub template: PodTemplateSpec,
    /// As here.
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub tolerations: Vec<Toleration>,
    /// As many as there are.
    #[schemars(length(max = 3))]
    pub labels: BTreeMap<String, String>,
    /// As many as one says.
    #[schemars(extend("maxProperties" = 3))]
    pub annotations: BTreeMap<String, String>,
    /// As long as one likes.
    #[schemars(length(max = 20))]
    pub memory: Quantity,
    /// As long as one says.
    #[x_kube(validation = "size(string(self)) <= 20")]
    pub storage: Quantity,
    /// A null where only `Fast` is accepted.
    pub mode: Option<Mode>,
    /// A default that would contain such a null.
    #[serde(default)]
    pub part: Part,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
pub enum Mode {
    Fast,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
pub struct Part {
    /// Nothing by default.
    pub mode: Option<Mode>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
pub enum Size {
    Pixels(i32),
    Box { width: i32, height: i32 },
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Port {
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}
