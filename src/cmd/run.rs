//! `rustop run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::dev::Host;
use crate::ops::{self, PageOptions, Result};
use crate::session::Session;

/// Run the operator on this machine with the current kubeconfig
///
/// Builds the operator and runs it with the permissions of your kubeconfig; installs no CRDs or
/// roles. While the operator runs, the API server calls its webhooks on this machine, if the API
/// server runs here or --reached-at specifies how to reach this machine. Prints the URL of a web
/// page that shows the operator's actions, as far as your permissions allow. Ctrl-C stops the
/// operator and removes the webhook configurations.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop run
  rustop run --takeover    # instead of the deployed operator
  rustop run -- --log-level=debug
  rustop run --reached-at host.docker.internal    # kind on Docker Desktop
  rustop run --reached-at 172.18.0.1              # kind on Linux: the gateway of the network `kind`
  rustop run --reached-at host.minikube.internal")]
pub struct Run {
    /// Host name or address at which the API server can call webhooks on this machine; required
    /// unless the API server runs on this machine
    #[arg(long, value_name = "HOST")]
    reached_at: Option<Host>,
    /// Take over the lease of the deployed operator, so that it stands by while this one runs
    #[arg(long)]
    takeover: bool,
    /// Do not serve the web page
    #[arg(long)]
    no_page: bool,
    /// Open the web page in a browser
    #[arg(long, conflicts_with = "no_page")]
    open: bool,
    /// Record the contents of the web page to a new file, for `rustop show`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Arguments of the operator
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<OsString>,
}

impl Run {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let operation = ops::Run {
            reached_at: self.reached_at,
            takeover: self.takeover,
            arguments: self.arguments,
            page: PageOptions {
                is_shown: !self.no_page,
                is_opened: self.open,
                record: self.record,
            },
        };
        operation.run(session)
    }
}
