//! `rustop rbac`.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::ops::{self, Result};
use crate::session::Session;

/// Compare what the operator asked of the API server with what it was granted
#[derive(Args, Debug)]
#[command(after_help = "Example:
  rustop rbac report")]
pub struct Rbac {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Report(ReportArgs),
}

/// Print what was forbidden, with the marker that grants it, and what was granted and never used
///
/// Reads the audit log of the project's cluster, or of the one given by name, all since its data was last
/// thrown away. What was never used it tells only after a `rustop dev` in which every sample became Ready,
/// or on request.
#[derive(Args, Debug)]
#[command(
    name = "report",
    after_help = "Examples:
  rustop rbac report
  rustop dev --once && rustop rbac report --check   # for scripts: fails if anything was forbidden
  rustop rbac report --cluster default              # of an operator that shares a cluster"
)]
struct ReportArgs {
    /// Exit 1 if anything was forbidden
    #[arg(long)]
    check: bool,
    /// Tell what was never used whatever ran: for tests that make the operator do all that it can
    #[arg(long)]
    unused: bool,
    /// The cluster the operator ran on, if it is not the project's
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,
}

impl Rbac {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let Command::Report(args) = self.command;
        let operation = ops::RbacReport {
            check: args.check,
            unused: args.unused,
            cluster: args.cluster,
        };
        operation.run(session)
    }
}
