//! shepherd of farm.example.org, as its CRD defines it.
#![allow(
    dead_code,
    rustdoc::all,
    clippy::doc_lazy_continuation,
    clippy::doc_overindented_list_items,
    clippy::enum_variant_names,
    reason = "texts and names are those of the CRD"
)]

use std::collections::BTreeMap;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "farm.example.org",
    version = "v1alpha1",
    kind = "shepherd",
    root = "Shepherd",
    plural = "shepherds",
    no_spec,
    status = "ShepherdStatus",
    derive = "JsonSchema",
    schema = "disabled"
)]
pub struct ShepherdFields {
    #[schemars(with = "BTreeMap<String, schema::Data>")]
    pub data: BTreeMap<String, String>,

    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Rule2>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Rule2 {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleRule>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct RuleRule {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct ShepherdStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<bool>,
}

/// Returns the CRD: the schemas of the types, and the parts that Rust types cannot express.
#[must_use]
pub fn crd() -> CustomResourceDefinition {
    crate::schema::crd::<Shepherd>(json!({
        "version": {"subresources": {"status": null}},
    }))
}

/// Schemas of this CRD that differ from those of the Rust types.
mod schema {
    crate::schema::kept! {
        "shepherd.json"
        Data
    }
}
