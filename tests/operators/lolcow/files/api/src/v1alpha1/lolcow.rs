//! The Lolcow API: a greeting, and the port at which a cow says it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

/// The desired state. The comments and rules here become the schema, so the API server refuses what
/// does not fit before the operator ever sees it.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "my.domain",
    version = "v1alpha1",
    kind = "Lolcow",
    plural = "lolcows",
    namespaced,
    status = "LolcowStatus",
    doc = "A cow that says something to whoever visits its page.",
    printcolumn(name = "Greeting", type_ = "string", json_path = ".spec.greeting"),
    printcolumn(name = "Port", type_ = "integer", json_path = ".spec.port"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status"
    )
)]
#[serde(rename_all = "camelCase")]
pub struct LolcowSpec {
    /// What the cow says, up to 200 characters.
    #[schemars(length(min = 1, max = 200))]
    #[x_kube(validation = Rule::new("self.trim() != ''").message("must not be blank"))]
    pub greeting: String,

    /// The port on every node where the page is to be seen: a NodePort, 30000 to 32767.
    #[schemars(range(min = 30000, max = 32767))]
    pub port: i32,
}

impl Default for LolcowSpec {
    fn default() -> Self {
        Self {
            greeting: "What a lovely day".to_owned(),
            port: 30080,
        }
    }
}

/// The observed state, written by the operator alone.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct LolcowStatus {
    /// `Ready` tells whether the page can be visited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<meta::Condition>,
}
