//! Namespaces that pass from one run to another with all of their objects: from the old version of an operator to the new one.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::torture::journal::WrittenObjects;
use crate::torture::snapshot::ObjectId;

/// A namespace that a run has left with all of its objects.
#[derive(Clone, Debug)]
pub struct LeftNamespace {
    /// The number of the run, which determines the name of the namespace and its node ports.
    pub number: usize,
    /// The UIDs of the cluster-scoped objects that existed before the run.
    pub before: BTreeSet<String>,
    /// The cluster-scoped objects that the run has written.
    pub written: WrittenObjects,
    /// The roles that the run has created in the namespace.
    pub roles: Vec<Value>,
}

/// A stored custom resource that the API server no longer accepts.
#[derive(Clone, Debug, PartialEq)]
pub struct RejectedObject {
    pub id: ObjectId,
    /// The API version in which it was requested.
    pub version: String,
    /// The message of the API server.
    pub message: String,
}
