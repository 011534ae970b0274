//! Where an operator is tortured.

pub mod cluster_view;
pub mod namespace;
pub mod node_ports;
pub mod process;
pub mod upstream;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use serde_json::Value;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::interrupt::Interrupt;
use crate::torture::api::call::Resource;
use crate::torture::env::cluster_view::ClusterView;
use crate::torture::env::process::Program;
use crate::torture::env::upstream::Upstream;

/// What all runs share.
pub struct Environment {
    /// The way to the API server.
    pub upstream: Upstream,
    /// What is there.
    pub world: ClusterView,
    /// The operator.
    pub program: Program,
    /// The kinds of the project itself.
    pub own: BTreeSet<Resource>,
    /// Whether runs are beside each other, each in its namespace; else one sees the whole cluster.
    pub scoped: bool,
    /// A directory for what does not last.
    pub dir: PathBuf,
    /// Roles that every namespace gets.
    pub roles: Vec<Value>,
    /// Ctrl-C.
    pub interrupt: Interrupt,
    /// How many runs there were.
    pub runs: AtomicUsize,
    /// One permit for each operator that may run at the same time, also of another stage on the same control plane.
    pub operators: Arc<Semaphore>,
}

impl Environment {
    /// Waits until another operator may run. The permit outlives it.
    pub async fn turn(&self) -> SemaphorePermit<'_> {
        let permit = self.operators.acquire().await;
        permit.expect("a semaphore that nobody closes")
    }
}
