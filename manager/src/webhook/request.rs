//! The request that a webhook decides on, without the object.

use jiff::Timestamp;
use k8s_openapi::api::authentication::v1::UserInfo;
use kube::Client;
use parking_lot::Mutex;
use serde::Deserialize;

use crate::clock;

/// The operation that a user requests.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "UPPERCASE")]
pub enum Operation {
    /// The object is created.
    Create,
    /// The object is updated, or one of its subresources, such as the status (see
    /// [`Request::subresource`]).
    Update,
    /// The object is deleted.
    Delete,
    /// A connection to the object is opened, as by `kubectl exec`.
    Connect,
}

/// A request of a user to the API server, which a webhook decides on.
pub struct Request {
    pub(super) operation: Operation,
    pub(super) name: String,
    pub(super) namespace: Option<String>,
    pub(super) subresource: Option<String>,
    pub(super) user: UserInfo,
    pub(super) dry_run: bool,
    pub(super) warnings: Mutex<Vec<String>>,
    pub(super) client: Option<Client>,
}

impl Request {
    /// Returns the requested operation.
    #[must_use]
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// Returns the object's name. Empty if the object is created with `generateName`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the object's namespace. `None` for a cluster-scoped object.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// Returns the subresource, such as `status`. `None` if the request is for the whole object.
    #[must_use]
    pub fn subresource(&self) -> Option<&str> {
        self.subresource.as_deref()
    }

    /// Returns the current time: that of the cluster in a test with `testing::Cluster`, otherwise
    /// that of the machine.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        clock::now()
    }

    /// Returns the user who sent the request: `username`, `groups`, and other properties known to
    /// the API server.
    #[must_use]
    pub fn user(&self) -> &UserInfo {
        &self.user
    }

    /// Returns true for a dry run. Nothing will be stored, so the webhook must not have other side
    /// effects either.
    #[must_use]
    pub fn dry_run(&self) -> bool {
        self.dry_run
    }

    /// Adds a warning that is shown to the user, even if the request is allowed. Kubernetes
    /// recommends fewer than 120 characters.
    pub fn warn(&self, warning: impl Into<String>) {
        let mut warnings = self.warnings.lock();
        warnings.push(warning.into());
    }

    /// Returns a client of the API server. The user waits for every request that the webhook sends.
    ///
    /// # Panics
    /// If the request was created with [`Request::test`], which has no client.
    #[must_use]
    pub fn client(&self) -> Client {
        self.client.clone().expect("a connection to an API server")
    }

    /// Returns a request for unit tests of defaulters and validators, with an empty user and
    /// without a client.
    #[must_use]
    pub fn test(operation: Operation) -> Self {
        Self {
            operation,
            name: String::new(),
            namespace: None,
            subresource: None,
            user: UserInfo::default(),
            dry_run: false,
            warnings: Mutex::default(),
            client: None,
        }
    }

    /// Returns the warnings added with [`Request::warn`] so far.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.lock().clone()
    }
}
