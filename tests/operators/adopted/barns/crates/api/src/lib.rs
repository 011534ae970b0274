//! The kind of the operator.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A barn, which has a Service with a port for each of its doors.
#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(
    group = "farm.example.com",
    version = "v1",
    kind = "Barn",
    namespaced,
    status = "BarnStatus",
    doc = "A barn, which has a Service with a port for each of its doors."
)]
pub struct BarnSpec {
    /// The ports of the doors.
    #[schemars(length(min = 1, max = 4), inner(range(min = 1000, max = 2000)))]
    #[serde(default = "doors")]
    pub doors: Vec<i32>,
}

fn doors() -> Vec<i32> {
    vec![1000]
}

/// The observed state of a barn.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
pub struct BarnStatus {
    /// The conditions, each with a type of its own.
    #[serde(default)]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
}
