//! The Lolcow API: the spec that users write and the status that the operator reports.

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The desired state.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "my.domain",
    version = "v1alpha1",
    kind = "Lolcow",
    plural = "lolcows",
    namespaced,
    status = "LolcowStatus",
    doc = "A cow that says something on a web page.",
    printcolumn(name = "Message", type_ = "string", json_path = ".spec.message"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status"
    )
)]
#[serde(rename_all = "camelCase")]
pub struct LolcowSpec {
    /// The words of the cow, up to 100 characters.
    #[schemars(length(min = 1, max = 100))]
    #[x_kube(validation = Rule::new("self.trim() != ''").message("must not be blank"))]
    pub message: String,

    /// The number of Pods that serve the page.
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 10))]
    pub replicas: i32,
}

fn one() -> i32 {
    1
}

/// A valid spec, for tests.
impl Default for LolcowSpec {
    fn default() -> Self {
        Self {
            message: "moo".to_owned(),
            replicas: one(),
        }
    }
}

/// The observed state, written only by the operator.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct LolcowStatus {
    /// The generation of the spec that the rest of the status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// `Ready` is true while all Pods serve the page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<meta::Condition>,
}
