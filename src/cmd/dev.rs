//! `rustop dev`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::values::seconds;
use crate::dev::Host;
use crate::ops::{self, Result, Showing};
use crate::session::Session;

/// Run the operator and its samples on a control plane on this machine
///
/// Writes the manifests, starts the project's cluster or uses the one that runs, applies CRDs, roles and
/// samples, builds the operator and runs it with the rights of its own ServiceAccount: a permission that
/// is missing in production is missing here. A page in the browser, at the address that is printed, shows the
/// objects and what they own, why one is not Ready, and what the operator does and when. Ctrl-C stops what was started; the cluster's data stays, until
/// `rustop cluster delete`. The cluster belongs to the project's directory, and one `rustop dev` at a time
/// runs there.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop dev
  rustop dev --watch                    # build and start again when a source changes
  rustop dev --open                     # and the page that shows what it does
  rustop dev --record run.jsonl         # `rustop show run.jsonl` opens that page again
  rustop dev --once --timeout 120s      # for scripts: exit 0 as soon as every sample is Ready
  rustop dev --kubeconfig ~/.kube/config")]
pub struct Dev {
    /// End as soon as every sample is Ready, or fail with what is missing; on a cluster that does not run
    /// yet, without the data of earlier runs
    #[arg(long, conflicts_with = "watch")]
    once: bool,
    /// How long --once waits, from the operator's start on
    #[arg(long, value_name = "DURATION", default_value = "120s", value_parser = seconds)]
    timeout: Duration,
    /// Build and start the operator again when a source changes
    #[arg(long)]
    watch: bool,
    /// Use the cluster of this kubeconfig instead of one of rustop's own
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Show no page in the browser; with --once there is none
    #[arg(long)]
    no_page: bool,
    /// Open the page in a browser
    #[arg(long, conflicts_with_all = ["no_page", "once"])]
    open: bool,
    /// Record all that the page shows into a new file, for `rustop show`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Name or address at which that cluster's API server reaches this machine, for webhooks; needed
    /// unless it runs on this machine itself
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
            page: Showing {
                is_shown: !self.no_page,
                is_opened: self.open,
                record: self.record,
            },
        };
        operation.run(session)
    }
}
