//! The options of `rustop dev`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::dev::Host;
use crate::ops::values::seconds;

/// A run of the operator and its samples, with the permissions of the operator's ServiceAccount.
#[derive(Args, Debug)]
pub struct Dev {
    /// Exit once all samples are Ready, or fail and list those that are not; discards the data of
    /// earlier runs if the cluster is not running
    #[arg(long, conflicts_with = "watch")]
    pub once: bool,
    // Without `once` it limits only the wait for samples that are being deleted.
    /// Time that --once waits after the start of the operator
    #[arg(long, value_name = "DURATION", default_value = "120s", value_parser = seconds)]
    pub timeout: Duration,
    /// Rebuild and restart the operator when a source file changes
    #[arg(long)]
    pub watch: bool,
    /// Use the cluster of this kubeconfig instead of a local one
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Do not serve the web page; implied by --once
    #[arg(long)]
    pub no_page: bool,
    /// Open the web page in a browser
    #[arg(long, conflicts_with_all = ["no_page", "once"])]
    pub open: bool,
    /// Record the contents of the web page to a new file, for `rustop show`
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Host name or address at which that cluster's API server can call webhooks on this machine;
    /// without it, they are called only if the API server runs on this machine
    #[arg(long, value_name = "HOST", requires = "kubeconfig")]
    pub reached_at: Option<Host>,
}
