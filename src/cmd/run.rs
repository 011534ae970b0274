//! `rustop run`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;

use crate::dev::Host;
use crate::ops::{self, Result};
use crate::session::Session;

/// Run the operator on this machine with the current kubeconfig
///
/// Builds the operator and runs it with the rights of your kubeconfig; it installs nothing. As long as it
/// runs the API server calls its webhooks here, if it runs on this machine or --reached-at says how it
/// reaches this machine. Ctrl-C stops the operator and takes the webhooks away.
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
    /// Options of the operator
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<OsString>,
}

impl Run {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        ops::run(
            session,
            self.reached_at.as_ref(),
            self.takeover,
            &self.arguments,
        )
    }
}
