//! The old version of an operator during a rolling update.

use std::sync::Arc;

use crate::torture::env::network::NetworkNamespace;
use crate::torture::env::process::{OperatorProcess, RunFiles};
use crate::torture::journal::Journal;
use crate::torture::proxy::Proxy;

/// The old version during a rolling update. It has a proxy and a journal of its own, which tell its
/// requests from those of the new version.
pub struct Predecessor {
    pub proxy: Arc<Proxy>,
    pub journal: Journal,
    pub files: RunFiles,
    pub process: OperatorProcess,
    /// Its network, in which its ports are free although the new version listens on the same ones.
    #[expect(dead_code, reason = "dropping it removes the network")]
    pub network: Option<NetworkNamespace>,
}
