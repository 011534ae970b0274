//! The sources of a reference.

use serde_json::Value;

use crate::rbac::rule::Rule;
use crate::sources::conditions::Conditions;

/// The sources of a reference.
#[derive(Debug, Default)]
pub struct Input {
    /// CRDs of `apiextensions.k8s.io/v1`.
    pub crds: Vec<Value>,
    /// The YAML documents of the samples.
    pub samples: Vec<String>,
    /// The rules of the operator's roles.
    pub permissions: Vec<Rule>,
    /// The conditions that the operator's code sets.
    pub conditions: Conditions,
}
