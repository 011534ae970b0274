//! The environment of runs: the control plane, the operator's program, and the namespace of each
//! run.

pub mod cluster_view;
pub mod namespace;
pub mod network;
pub mod node_ports;
pub mod process;
pub mod upstream;

use std::collections::BTreeSet;
use std::ffi::OsString;
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

/// The environment that all runs of an operator share.
pub struct Environment {
    /// The connections to the API server.
    pub upstream: Upstream,
    /// The live objects of the cluster.
    pub cluster_view: ClusterView,
    /// The operator.
    pub program: Program,
    /// The arguments that turn leader election on; empty for a program whose user decides that with
    /// its arguments.
    pub election: Vec<OsString>,
    /// The custom resources of the project.
    pub own: BTreeSet<Resource>,
    /// If true, runs execute in parallel, each in its own namespace. If false, one run at a time
    /// sees the whole cluster.
    pub scoped: bool,
    /// The path of rustop's program if each run gets a network namespace of its own, and `None` if
    /// all share the machine's.
    pub isolates_network: Option<PathBuf>,
    /// A directory for the kubeconfigs and the logs of the runs.
    pub dir: PathBuf,
    /// Roles that are created in the namespace of every run.
    pub roles: Vec<Value>,
    /// Ctrl-C of the user, which ends all runs.
    pub interrupt: Interrupt,
    /// The number of runs so far, which numbers their namespaces.
    pub runs: AtomicUsize,
    /// One permit for each operator that may run at the same time, shared with other environments
    /// on the control plane.
    pub operators: Arc<Semaphore>,
}

impl Environment {
    /// Waits until another operator may run. The caller must hold the permit while that operator
    /// runs.
    pub async fn operator_permit(&self) -> SemaphorePermit<'_> {
        let permit = self.operators.acquire().await;
        permit.expect("a semaphore that is never closed")
    }
}
