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
    Report(ReportArgs),
}

/// List forbidden requests, with the markers that permit them, and unused permissions
///
/// Reads the audit log of the project's cluster, or of the cluster given by --cluster, since its
/// data was last discarded. Lists unused permissions only after a `rustop dev` in which all samples
/// became Ready, or with --unused.
///
/// For an adopted operator, with a `rustop.yaml`, reads the requests in its Rust code and compares
/// them with the rules of its rendered roles. This needs no cluster and compiles nothing. Without
/// manifests in `rustop.yaml`, prints a role for all requests. With --verbose, lists the requests.
#[derive(Args, Debug)]
#[command(
    name = "report",
    after_help = "Examples:
  rustop rbac report
  rustop dev --once && rustop rbac report --check   # for scripts: fails if a request was forbidden
  rustop rbac report --cluster default              # for an operator in a shared cluster"
)]
struct ReportArgs {
    /// Exit 1 if a request was forbidden, or if a rule is missing
    #[arg(long)]
    check: bool,
    /// Always list unused permissions, for tests that exercise all features of the operator
    #[arg(long)]
    unused: bool,
    /// Cluster that the operator ran on, if it is not the project's
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,
}

impl Rbac {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let RbacCommand::Report(args) = self.command;
        let operation = ops::RbacReport {
            check: args.check,
            unused: args.unused,
            cluster: args.cluster,
        };
        operation.run(session)
    }
}
