//! What a bundle is of.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::project::naming::Naming;

/// What is the user's of the `ClusterServiceVersion`.
pub const BASE: &str = "config/manifests/clusterserviceversion.yaml";

/// Files by their paths in the project.
pub type Files = BTreeMap<String, String>;

/// How the project goes that a bundle is of.
#[derive(Debug)]
pub struct Bundle<'a> {
    /// Its name, which is that of the package.
    pub project: &'a str,
    /// Of the operator.
    pub version: &'a str,
    /// What `config/default` makes of names.
    pub naming: &'a Naming,
    /// Whether the operator can be confined to namespaces.
    pub namespaced: bool,
    /// Definitions of others that it works with, as OLM wants them.
    pub required: Vec<Value>,
}
