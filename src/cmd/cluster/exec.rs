//! `rustop cluster exec`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;

use super::args::ClusterArgs;
use crate::ops::{self, Result};
use crate::session::Session;

/// Run a command with a temporary cluster, and delete the cluster afterwards
///
/// Sets KUBECONFIG for the command, puts kubectl first in PATH, and exits with the exit code of the
/// command.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop cluster exec -- cargo test
  rustop cluster exec --nodes 3 -- kubectl get nodes
  rustop cluster exec -- bash       # a shell with a cluster")]
pub struct Exec {
    #[command(flatten)]
    shape: ClusterArgs,
    /// Command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Exec {
    /// Runs the command and returns its exit code, or 128 plus the signal that ended it.
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        ops::cluster::exec(session, &self.shape.options(), &self.command)
    }
}
