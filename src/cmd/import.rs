//! `rustop import`.

use std::process::ExitCode;

use clap::Args;

use super::exit::done;
use crate::ops::{self, Result};
use crate::session::Session;

/// Create a project from an operator in Go: its kinds, permissions, webhooks and samples
///
/// DIR is a project of kubebuilder or operator-sdk, and is not modified. Generates Rust types from
/// all versions of its CRDs, copies its RBAC markers or derives them from its role, and adds its
/// webhooks, conversions and samples. IMPORT.md in the new project lists what was imported, what
/// was not, and the next steps.
///
/// Once the controllers are written, `--shadow` applies the same changes of the samples to both
/// operators on a local control plane, and reports the fields in which their objects differ.
#[derive(Args, Debug)]
#[group(skip)]
#[command(after_help = "Examples:
  rustop import ../lolcow-operator lolcow-rs
  rustop import ../lolcow-operator lolcow-rs --dry-run
  rustop import --shadow -- ../lolcow-operator/bin/manager --metrics-bind-address=0")]
pub struct Import {
    // `None` with `--shadow`.
    #[command(flatten)]
    import: Option<ops::Import>,
    /// Compare this project's operator with the one that it replaces; exit 1 if they differ
    #[arg(
        long,
        requires = "command",
        conflicts_with_all = ["dir", "target", "domain", "project_name", "crds", "allow", "dry_run"]
    )]
    shadow: bool,
    #[command(flatten)]
    comparison: ops::Shadow,
}

impl Import {
    /// Imports a Go project or, with `--shadow`, compares two operators. Only the comparison has an
    /// exit code other than 0 without an error.
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        match self.import {
            Some(operation) => done(operation.run(session)),
            None => self.comparison.run(session),
        }
    }
}
