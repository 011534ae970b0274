//! What `rustop dev` may be told.

use std::path::PathBuf;
use std::time::Duration;

use crate::dev::Host;
use crate::ops::page::Showing;

/// Runs the operator with the rights of its ServiceAccount, and its samples, until Ctrl-C or a verdict.
pub struct Dev {
    /// Whether it ends as soon as every sample is Ready.
    pub once: bool,
    /// How long it may take then.
    pub timeout: Duration,
    /// Whether the operator is built and started again when a source changes.
    pub watch: bool,
    /// The cluster, where it is not one of rustop's own.
    pub kubeconfig: Option<PathBuf>,
    /// Where its API server reaches this machine.
    pub reached_at: Option<Host>,
    /// The page on which all of it is shown.
    pub page: Showing,
}
