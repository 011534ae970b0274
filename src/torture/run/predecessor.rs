//! The old version of an operator during a rolling update.

use std::sync::Arc;

use crate::torture::env::network::NetworkNamespace;
use crate::torture::env::process::{OperatorProcess, RunFiles};
use crate::torture::journal::Journal;
use crate::torture::proxy::Proxy;

/// The old version during a rolling update. Its own proxy and journal record its requests apart
/// from those of the new version.
pub struct Predecessor {
    pub proxy: Arc<Proxy>,
    pub journal: Journal,
    /// Its kubeconfig and its log.
    pub files: RunFiles,
    pub process: OperatorProcess,
    /// Its own network namespace, so that it can listen on the same ports as the new version.
    /// `None` if the machine allows no namespaces: then it shares the machine's network.
    #[expect(dead_code, reason = "dropping it removes the network")]
    pub network: Option<NetworkNamespace>,
}
