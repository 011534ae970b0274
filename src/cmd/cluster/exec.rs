//! `rustop cluster exec`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;

use super::args::Shape;
use crate::ops::{self, Result};
use crate::session::Session;

/// Run a command on a fresh cluster of its own, and leave nothing behind
///
/// KUBECONFIG names the cluster, kubectl is the first in PATH, and the exit code is that of the command.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop cluster exec -- cargo test
  rustop cluster exec --nodes 3 -- kubectl get nodes
  rustop cluster exec -- bash       # a shell with a cluster")]
pub struct Exec {
    #[command(flatten)]
    shape: Shape,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Exec {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        ops::cluster::exec(session, &self.shape.options(), &self.command)
    }
}
