//! `rustop run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::dev::Host;
use crate::ops::{self, Result, Showing};
use crate::session::Session;

/// Run the operator on this machine with the current kubeconfig
///
/// Builds the operator and runs it with the rights of your kubeconfig; it installs nothing. As long as it
/// runs the API server calls its webhooks here, if it runs on this machine or --reached-at says how it
/// reaches this machine. A page in the browser, at the address that is printed, shows what the operator does, as far
/// as your kubeconfig lets one look. Ctrl-C stops the operator and takes the webhooks away.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop run
  rustop run --takeover    # instead of the one that is deployed
  rustop run -- --log-level=debug
  rustop run --reached-at host.docker.internal    # kind on Docker Desktop
  rustop run --reached-at 172.18.0.1              # kind on Linux: the gateway of the network `kind`
  rustop run --reached-at host.minikube.internal")]
pub struct Run {
    /// Name or address at which the API server reaches this machine, for webhooks; needed unless it runs
    /// on this machine itself
    #[arg(long, value_name = "HOST")]
    reached_at: Option<Host>,
    /// Hold the lease of the operator that is deployed, so that it stands by as long as this one runs
    #[arg(long)]
    takeover: bool,
    /// Show no page in the browser
    #[arg(long)]
    no_page: bool,
    /// Open the page in a browser
    #[arg(long, conflicts_with = "no_page")]
    open: bool,
    /// Record all that the page shows into a new file, for `rustop show`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Options of the operator
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<OsString>,
}

impl Run {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let operation = ops::Run {
            reached_at: self.reached_at,
            takeover: self.takeover,
            arguments: self.arguments,
            page: Showing {
                is_shown: !self.no_page,
                is_opened: self.open,
                record: self.record,
            },
        };
        operation.run(session)
    }
}
