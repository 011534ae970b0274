//! Namespaces that pass from one run to another with all of their objects: from the old version of
//! an operator to the new one.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::torture::journal::WrittenObjects;
use crate::torture::snapshot::{Difference, ObjectId, Snapshot};

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
    /// The custom resources in the namespace.
    pub stored: Vec<StoredObject>,
}

/// A custom resource, as the API server returns it in one of its API versions.
#[derive(Clone, Debug)]
pub struct StoredObject {
    pub uid: String,
    pub version: String,
    /// A snapshot with this object only.
    pub object: Snapshot,
}

/// A field of a stored custom resource that the API server no longer returns, or returns with
/// another value.
#[derive(Clone, Debug, PartialEq)]
pub struct LostValue {
    pub difference: Difference,
    /// The API version in which the object was requested.
    pub version: String,
    pub cause: LossCause,
}

/// The cause of the loss of a value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LossCause {
    /// The CRD of this version does not return what that of the other version has returned.
    Replaced,
    /// The conversion to the stored version and back loses it.
    RoundTrip,
}

impl LostValue {
    /// Explains the loss for a report.
    pub fn reason(&self) -> String {
        let cause = match self.cause {
            LossCause::Replaced => {
                "the schema or the conversion of the installed CRD drops the value that the other version has stored"
            }
            LossCause::RoundTrip => {
                "an update loses it in the conversion to the stored version and back"
            }
        };
        format!("in {}: {cause}", self.version)
    }
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
