//! The context and the verdict of a run of `rustop dev`.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::Duration;

use kube::Client;
use tokio::runtime::Runtime;

use super::options::Dev;
use super::target_cluster::TargetCluster;
use crate::dev::OperatorManifests;
use crate::ops::{page::RunPage, subject::Subject};
use crate::session::Session;

/// The interval at which `rustop dev` polls the samples, the operator's process and Ctrl-C.
pub const TICK: Duration = Duration::from_millis(100);

/// The context of a run of `rustop dev`, which each of its parts gets.
pub struct DevContext<'a> {
    /// The options of the command.
    pub dev: &'a Dev,
    pub session: &'a Session,
    /// The operator: that of the project, or an adopted one.
    pub subject: &'a Subject,
    /// The local cluster of the project, or the cluster of `--kubeconfig`.
    pub target: &'a TargetCluster,
    pub runtime: &'a Runtime,
    /// A client of that cluster with the user's permissions.
    pub client: &'a Client,
    /// The manifests that were applied before the operator starts.
    pub deployed: &'a OperatorManifests,
    /// The web page; `None` with `--once` or `--no-page`.
    pub shown: Option<&'a RunPage>,
    /// The kinds that the page shows, each as its group and plural.
    pub watched: BTreeSet<(String, String)>,
}

/// The result of a run.
pub struct Verdict {
    /// The exit code of the command.
    pub code: ExitCode,
    /// True if there are samples and all of them became Ready. Only then can the report call a
    /// permission unused.
    pub is_proven: bool,
}
