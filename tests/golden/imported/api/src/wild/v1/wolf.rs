//! Wolf of wild.k8s.io, as its CRD defines it.
#![allow(
    dead_code,
    rustdoc::all,
    clippy::doc_lazy_continuation,
    clippy::doc_overindented_list_items,
    clippy::enum_variant_names,
    reason = "texts and names are those of the CRD"
)]

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "wild.k8s.io",
    version = "v1",
    kind = "Wolf",
    plural = "wolves",
    namespaced,
    derive = "JsonSchema",
    schema = "disabled"
)]
#[serde(remote = "Self")]
pub struct WolfSpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age: Option<i32>,
}

crate::schema::may_be_absent!(WolfSpec);

/// Returns the CRD: the schemas of the types, and the parts that Rust types cannot express.
#[must_use]
pub fn crd() -> CustomResourceDefinition {
    crate::schema::crd::<Wolf>(json!({
        "metadata": {"annotations": {"api-approved.kubernetes.io": "https://example.org/approved"}},
        "schema": {"required": null},
    }))
}
