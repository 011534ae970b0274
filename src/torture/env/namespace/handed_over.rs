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
    /// The API version without its group: `v1`.
    pub version: String,
    /// The URL path of the object in that version.
    pub path: String,
    /// A snapshot with this object only.
    pub object: Snapshot,
}

impl StoredObject {
    /// Returns the URL path of the object in another version, such as `v2`.
    pub fn path_in(&self, version: &str) -> String {
        let own = format!("/{}/", self.version);
        self.path.replacen(&own, &format!("/{version}/"), 1)
    }
}

/// A field of a stored custom resource that the API server no longer returns, or returns with
/// another value.
#[derive(Clone, Debug, PartialEq)]
pub struct LostValue {
    /// The field with its value before; the value after is `None` if the field is missing.
    pub difference: Difference,
    /// The API version in which the object was requested, without its group.
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

/// A stored custom resource that the API server no longer returns, or no longer accepts.
#[derive(Clone, Debug, PartialEq)]
pub struct RejectedObject {
    pub id: ObjectId,
    /// The API version in which it was requested, without its group.
    pub version: String,
    /// The message of the API server.
    pub message: String,
    /// False if it does not even return the object, since a webhook does not convert it.
    pub is_readable: bool,
}

impl RejectedObject {
    /// Explains the rejection for a report.
    pub fn reason(&self) -> String {
        let rejects = if self.is_readable {
            "rejects an update"
        } else {
            "cannot return it"
        };
        format!(
            "the API server {rejects} in {}: {}",
            self.version, self.message
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_another_version_is_that_of_the_same_object() {
        let stored = StoredObject {
            uid: "1".into(),
            version: "v1".into(),
            path: "/apis/my.domain/v1/namespaces/v1/cows/moo".into(),
            object: Snapshot::default(),
        };
        let path = "/apis/my.domain/v2/namespaces/v1/cows/moo";
        assert_eq!(stored.path_in("v2"), path);
    }

    #[test]
    fn an_object_that_is_not_converted_is_not_called_an_update() {
        let reason = |is_readable| {
            let rejected = RejectedObject {
                id: ObjectId {
                    kind: "Cow.my.domain".into(),
                    name: "moo".into(),
                },
                version: "v2".into(),
                message: "conversion webhook for my.domain/v1, Kind=Cow failed: no herd".into(),
                is_readable,
            };
            rejected.reason()
        };
        assert!(reason(true).starts_with("the API server rejects an update in v2: conversion"));
        assert!(reason(false).starts_with("the API server cannot return it in v2: conversion"));
    }
}
