//! Herd of farm.example.org, as its CRD defines it.
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
use serde_json::{Value, json};

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "farm.example.org",
    version = "match",
    kind = "Herd",
    plural = "herds",
    shortname = "hd",
    shortname = "hrd",
    category = "all",
    category = "farm",
    namespaced,
    status = "HerdStatus",
    storage = false,
    deprecated = "farm.example.org/match Herd is old; use v1",
    derive = "JsonSchema",
    schema = "disabled"
)]
#[schemars(extend("x-kubernetes-preserve-unknown-fields" = true))]
pub struct HerdSpec {
    /// All other fields.
    #[serde(flatten)]
    #[schemars(skip)]
    pub rest: BTreeMap<String, Value>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[schemars(extend("x-kubernetes-preserve-unknown-fields" = true))]
pub struct HerdStatus {
    /// All other fields.
    #[serde(flatten)]
    #[schemars(skip)]
    pub rest: BTreeMap<String, Value>,
}

/// Returns the CRD: the schemas of the types, and the parts that Rust types cannot express.
#[must_use]
pub fn crd() -> CustomResourceDefinition {
    crate::schema::crd::<Herd>(json!({
        "schema": {"required": ["metadata", "spec"], "properties": {"metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 40}}}}},
    }))
}
