//! The connection of a manager to its API server, from which it creates its clients.

use std::sync::Arc;

use kube::{Client, Config};

use crate::client::requests::RequestMetrics;
use crate::client::{fenced, unfenced};
use crate::error::Result;
use crate::leader::fence::Leadership;

/// The connection of a manager to its API server.
pub(crate) enum Connection {
    Remote(Box<Config>),
    /// The in-memory API server of a test, whose virtual time needs a single thread.
    #[cfg(feature = "testing")]
    InMemory(Box<dyn InMemory>),
}

/// The connection of one process to an in-memory API server.
#[cfg(feature = "testing")]
pub(crate) trait InMemory: Send + Sync {
    /// Returns a client whose requests are always sent.
    fn unfenced(&self) -> Client;

    /// Returns a client whose writes are sent only while the leadership holds.
    fn fenced(&self, leadership: &Leadership) -> Client;
}

impl Connection {
    /// Returns a client whose requests are always sent, such as the one for leader election, which
    /// writes before the manager leads.
    pub fn unfenced(&self) -> Result<Client> {
        match self {
            Self::Remote(config) => unfenced(config.as_ref().clone()),
            #[cfg(feature = "testing")]
            Self::InMemory(connection) => Ok(connection.unfenced()),
        }
    }

    /// Returns the client of the controllers, which writes only while the leadership holds. Its
    /// connections run on the runtime on which this function is called. Its requests are counted in
    /// `requests`, except those to an in-memory API server.
    pub fn fenced(self, leadership: &Leadership, requests: &Arc<RequestMetrics>) -> Result<Client> {
        match self {
            Self::Remote(config) => fenced(*config, leadership, requests),
            #[cfg(feature = "testing")]
            Self::InMemory(connection) => Ok(connection.fenced(leadership)),
        }
    }

    /// Returns `option`, the namespace that the user configured, else that of the operator.
    pub fn namespace(&self, option: Option<String>) -> String {
        match self {
            Self::Remote(config) => own_namespace(option, config),
            #[cfg(feature = "testing")]
            Self::InMemory(_) => option.unwrap_or_else(|| "default".to_owned()),
        }
    }

    /// Returns true if the controllers may run on threads of their own, and not on that of the
    /// caller.
    pub fn has_threads(&self) -> bool {
        matches!(self, Self::Remote(_))
    }
}

/// Returns `option`, the namespace that the user configured, else that of the Pod
/// (`POD_NAMESPACE`), else that of the kubeconfig. (In a
/// Pod, kube has read the namespace of the `ServiceAccount` into its configuration.)
pub(crate) fn own_namespace(option: Option<String>, config: &Config) -> String {
    let pod = || std::env::var("POD_NAMESPACE").ok();
    let named = option.or_else(pod).filter(|name| !name.is_empty());
    named.unwrap_or_else(|| config.default_namespace.clone())
}
