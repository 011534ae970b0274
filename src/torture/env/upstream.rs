//! The connections of the operator and of rustop to the API server.

use std::sync::Arc;

use kube::Client;

use crate::torture::env::cluster_view::ServedKinds;

/// The clients for the API server, and the kinds that it serves.
#[derive(Clone)]
pub struct Upstream {
    /// Authenticates as the operator's account, whatever the operator itself sends.
    pub operator: Client,
    /// Authenticates as the administrator.
    pub admin: Client,
    /// The kinds that the API server served when rustop connected.
    pub kinds: Arc<ServedKinds>,
}
