//! The sources of a reference.

use serde_json::Value;

use crate::rbac::rule::Rule;
use crate::sources::conditions::Conditions;

/// The sources of a reference.
#[derive(Debug, Default)]
pub struct Input {
    /// CRDs of `apiextensions.k8s.io/v1`.
    pub crds: Vec<Value>,
    /// The YAML documents of the samples. Those that are not valid YAML are ignored.
    pub samples: Vec<String>,
    /// The rules of the operator's roles; empty if they are not known.
    pub permissions: Vec<Rule>,
    /// The conditions that the operator's code sets, by kind.
    pub conditions: Conditions,
}
