//! `rustop dev`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::format::Format;
use crate::dev::Host;
use crate::ops::values::seconds;
use crate::ops::{self, PageOptions, Result};
use crate::session::Session;

/// Run the operator and its samples on a control plane on this machine
///
/// Writes the manifests, starts the project's cluster if it is not running, applies CRDs, roles and
/// samples, builds the operator, and runs it with the permissions of its own ServiceAccount: a
/// permission that is missing in production is missing here, too. Prints the URL of a web page that
/// shows the objects and their children, why an object is not Ready, and the actions of the
/// operator over time.
///
/// Ctrl-C stops the operator, and the cluster if this command started it; `rustop cluster delete`
/// removes the cluster's data. The cluster belongs to the project's directory, and only one `rustop
/// dev` can use it at a time.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop dev
  rustop dev --watch                    # rebuild and restart when a source file changes
  rustop dev --open                     # also open the web page
  rustop dev --record run.jsonl         # `rustop show run.jsonl` shows the page again
  rustop dev --once --timeout 120s      # for scripts: exit 0 once all samples are Ready
  rustop dev --kubeconfig ~/.kube/config")]
pub struct Dev {
    #[command(flatten)]
    pub format: Format,
    /// Exit once all samples are Ready, or fail and list those that are not; discards the data of
    /// earlier runs if the cluster is not running
    #[arg(long, conflicts_with = "watch")]
    once: bool,
    /// Time that --once waits after the start of the operator
    #[arg(long, value_name = "DURATION", default_value = "120s", value_parser = seconds)]
    timeout: Duration,
    /// Rebuild and restart the operator when a source file changes
    #[arg(long)]
    watch: bool,
    /// Use the cluster of this kubeconfig instead of a local one
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Do not serve the web page; implied by --once
    #[arg(long)]
    no_page: bool,
    /// Open the web page in a browser
    #[arg(long, conflicts_with_all = ["no_page", "once"])]
    open: bool,
    /// Record the contents of the web page to a new file, for `rustop show`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Host name or address at which that cluster's API server can call webhooks on this machine;
    /// required unless the API server runs on this machine
    #[arg(long, value_name = "HOST", requires = "kubeconfig")]
    reached_at: Option<Host>,
}

impl Dev {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let operation = ops::Dev {
            once: self.once,
            timeout: self.timeout,
            watch: self.watch,
            kubeconfig: self.kubeconfig,
            reached_at: self.reached_at,
            page: PageOptions {
                is_shown: !self.no_page,
                is_opened: self.open,
                record: self.record,
            },
        };
        operation.run(session)
    }
}
