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

/// The polling interval.
pub const TICK: Duration = Duration::from_millis(100);

/// The context of a run: the options, the cluster, and the objects that were deployed to it.
pub struct DevContext<'a> {
    pub dev: &'a Dev,
    pub session: &'a Session,
    pub subject: &'a Subject,
    pub target: &'a TargetCluster,
    pub runtime: &'a Runtime,
    pub client: &'a Client,
    pub deployed: &'a OperatorManifests,
    pub shown: Option<&'a RunPage>,
    /// The kinds that the page shows, each as its group and plural.
    pub watched: BTreeSet<(String, String)>,
}

/// The result of a run.
pub struct Verdict {
    /// The exit code of the command.
    pub code: ExitCode,
    /// True if there are samples and all of them became Ready. Only then can the report call a permission unused.
    pub is_proven: bool,
}
