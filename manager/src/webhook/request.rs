//! Who wants to do what, besides the object itself.

use k8s_openapi::api::authentication::v1::UserInfo;
use kube::Client;
use parking_lot::Mutex;
use serde::Deserialize;

/// What somebody wants to do with an object.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "UPPERCASE")]
pub enum Operation {
    /// Create it.
    Create,
    /// Change it, or with [`Request::subresource`] a part of it such as its status.
    Update,
    /// Delete it.
    Delete,
    /// Connect to it, as `kubectl exec` does.
    Connect,
}

/// A request to the API server that a webhook is asked about.
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
    /// What is to be done.
    #[must_use]
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// The object's name; empty while it is created with `generateName`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The object's namespace, if its kind lives in namespaces.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// The subresource, such as `status`, if the request is for one.
    #[must_use]
    pub fn subresource(&self) -> Option<&str> {
        self.subresource.as_deref()
    }

    /// Who asks: `username`, `groups` and what else the API server knows.
    #[must_use]
    pub fn user(&self) -> &UserInfo {
        &self.user
    }

    /// True if nothing will be stored: then nothing else may be changed either.
    #[must_use]
    pub fn dry_run(&self) -> bool {
        self.dry_run
    }

    /// Shows a warning to whoever asks, also when the request is allowed. Kubernetes advises to
    /// stay below 120 characters.
    pub fn warn(&self, warning: impl Into<String>) {
        let mut warnings = self.warnings.lock();
        warnings.push(warning.into());
    }

    /// The connection to the API server. Every look at it makes somebody's request slower.
    ///
    /// # Panics
    /// In a unit test, where there is no connection.
    #[must_use]
    pub fn client(&self) -> Client {
        self.client.clone().expect("a connection to an API server")
    }

    /// A request for unit tests of defaulters and validators, by a user without a name.
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

    /// What [`Request::warn`] was given so far.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.lock().clone()
    }
}
