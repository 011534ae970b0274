//! Rules that the API server does not take.

use kube::{CustomResource, KubeSchema};
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
    /// A rule that is too expensive.
    #[x_kube(validation = "self.all(a, self.exists_one(b, a == b))")]
    pub names: Vec<String>,
    /// A rule about a field that is not there.
    #[x_kube(validation = "self.nmae != ''")]
    pub port: Port,
    /// A rule that is no CEL.
    #[x_kube(validation = "self ==")]
    pub half: String,
    /// A rule on each of a list whose length is a guess.
    #[x_kube(validation = "self.all(i, v, v.matches('a'))")]
    pub guessed: Vec<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Port {
    /// Its name.
    pub name: String,
}
