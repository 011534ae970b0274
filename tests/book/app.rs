//! The kind of the how-to pages.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, CustomResourceExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[kube(
    group = "my.domain",
    version = "v1",
    kind = "App",
    namespaced,
    status = "AppStatus"
)]
#[serde(rename_all = "camelCase")]
pub struct AppSpec {
    /// The Secret with the password, in the namespace of the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_name: Option<String>,
    /// The queues of the app.
    #[serde(default)]
    pub queues: Vec<String>,
    /// The domain at which the app is registered.
    #[serde(default)]
    pub domain: String,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
pub struct AppStatus {
    #[serde(default)]
    pub conditions: Vec<Condition>,
}

pub fn crd() -> CustomResourceDefinition {
    App::crd()
}

/// Returns an app with this name.
#[cfg(test)]
pub fn app(name: &str, spec: AppSpec) -> App {
    App::new(name, spec)
}
