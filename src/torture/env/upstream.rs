//! How the requests of the operator and of rustop reach the API server.

use std::sync::Arc;

use kube::Client;

use crate::torture::env::cluster_view::ServedKinds;

/// What a proxy is in front of.
#[derive(Clone)]
pub struct Upstream {
    /// To the API server as the operator, whoever that says it is.
    pub operator: Client,
    /// To the API server as its administrator.
    pub admin: Client,
    /// What it serves.
    pub kinds: Arc<ServedKinds>,
}
