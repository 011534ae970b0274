//! Drover of farm.example.org, as its CRD defines it.
#![allow(
    dead_code,
    rustdoc::all,
    clippy::doc_lazy_continuation,
    clippy::doc_overindented_list_items,
    clippy::enum_variant_names,
    reason = "texts and names are those of the CRD"
)]

use super::shepherd::Rule2;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "farm.example.org",
    version = "v1alpha1",
    kind = "Drover",
    plural = "drovers",
    namespaced,
    derive = "JsonSchema",
    schema = "disabled"
)]
#[serde(remote = "Self")]
pub struct DroverSpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub road: Option<String>,

    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<Rule2>>,
}

crate::schema::may_be_absent!(DroverSpec);

/// Returns the CRD: the schemas of the types, and the parts that Rust types cannot express.
#[must_use]
pub fn crd() -> CustomResourceDefinition {
    crate::schema::crd::<Drover>(json!({
        "schema": {"required": null},
    }))
}
