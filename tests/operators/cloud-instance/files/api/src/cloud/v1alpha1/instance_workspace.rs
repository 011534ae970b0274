//! The InstanceWorkspace API: what the operator must not forget about an Instance.

use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

/// What is remembered. It is written once, before the cloud is called, and never changed.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "cloud.example.com",
    version = "v1alpha1",
    kind = "InstanceWorkspace",
    plural = "instanceworkspaces",
    namespaced,
    doc = "What the operator remembers of the Instance of the same name. Not for people."
)]
#[serde(rename_all = "camelCase")]
pub struct InstanceWorkspaceSpec {
    /// The idempotency token: for one token the cloud makes one machine, however often it is asked.
    #[x_kube(validation = Rule::new("self == oldSelf").message("a token that is lost is a machine that nobody finds again"))]
    pub token: String,
}
