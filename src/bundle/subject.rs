//! The settings of the project for which a bundle is generated.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::project::naming::Naming;

/// The user file with the user's part of the `ClusterServiceVersion`, relative to the project.
pub const BASE: &str = "config/manifests/clusterserviceversion.yaml";

/// The contents of files by their paths in the project.
pub type BundleFiles = BTreeMap<String, String>;

/// The project for which a bundle is generated.
#[derive(Debug)]
pub struct Bundle<'a> {
    /// The name of the project, which is also that of the package.
    pub project: &'a str,
    /// The version of the operator, without a leading `v`: `0.1.0`.
    pub version: &'a str,
    /// The name prefix and namespace set by `config/default`.
    pub naming: &'a Naming,
    /// True if the operator can be limited to namespaces.
    pub namespaced: bool,
    /// CRDs of others that the operator requires, as items of `customresourcedefinitions.required`.
    pub required: Vec<Value>,
}
