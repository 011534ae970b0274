//! `rustop rbac`.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::format::Format;
use crate::ops::{self, Result};
use crate::session::Session;

/// Compare the operator's requests with its permissions
#[derive(Args, Debug)]
#[command(after_help = "Example:
  rustop rbac report")]
pub struct Rbac {
    #[command(flatten)]
    pub format: Format,
    #[command(subcommand)]
    command: RbacCommand,
}

#[derive(Debug, Subcommand)]
enum RbacCommand {
    /// List forbidden requests, with the markers that permit them, and unused permissions
    ///
    /// Reads the audit log of the project's cluster, or of the cluster given by --cluster, since
    /// its data was last discarded. Lists unused permissions only after a `rustop dev` in which all
    /// samples became Ready, or with --unused.
    ///
    /// For an adopted operator, with a `rustop.yaml`, reads the requests in its Rust code and
    /// compares them with the rules of its rendered roles. This needs no cluster and compiles
    /// nothing. Without manifests in `rustop.yaml`, prints a role for all requests. With --verbose,
    /// lists the requests.
    #[command(after_help = "Examples:
  rustop rbac report
  rustop dev --once && rustop rbac report --check   # for scripts: fails if a request was forbidden
  rustop rbac report --cluster default              # for an operator in a shared cluster")]
    Report(ops::RbacReport),
}

impl Rbac {
    /// Prints the report. The exit code is 1 only with `--check`.
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let RbacCommand::Report(operation) = self.command;
        operation.run(session)
    }
}
