//! The options of `rustop dev`.

use std::path::PathBuf;
use std::time::Duration;

use crate::dev::Host;
use crate::ops::page::PageOptions;

/// A run of the operator and its samples, with the permissions of the operator's ServiceAccount.
pub struct Dev {
    /// True to end the run as soon as every sample is Ready.
    pub once: bool,
    /// The time limit for the samples. Without `once` it limits only the wait for samples that are
    /// being deleted.
    pub timeout: Duration,
    /// True to rebuild and restart the operator when a source file changes.
    pub watch: bool,
    /// The kubeconfig of an existing cluster; `None` for the local cluster of the project.
    pub kubeconfig: Option<PathBuf>,
    /// The host at which the API server of that cluster reaches this machine.
    pub reached_at: Option<Host>,
    /// The options of the web page.
    pub page: PageOptions,
}
