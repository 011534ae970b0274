//! `rustop import`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::values::seconds;
use crate::names::{Domain, ProjectName};
use crate::ops::{self, Result};
use crate::session::Session;
use crate::torture::Place;

/// Begin a project with what an operator in Go has: its kinds, its permissions, and what is left to write
///
/// DIR is a project of kubebuilder or operator-sdk. Its CRDs become types, versions and all; its RBAC markers come along,
/// or are made of its role; so do webhooks, conversions and samples. IMPORT.md in the new project says what came, what did
/// not, and what to do next. DIR is only read. Once the controllers are written, `--shadow` runs both operators through the
/// same changes of the samples on a control plane on this machine, and says in which fields of which objects they differ.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop import ../lolcow-operator lolcow-rs
  rustop import ../lolcow-operator lolcow-rs --dry-run
  rustop import --shadow -- ../lolcow-operator/bin/manager --metrics-bind-address=0")]
pub struct Import {
    /// The Go project
    #[arg(required_unless_present = "shadow")]
    dir: Option<PathBuf>,
    /// The new project's directory [default: the project's name, in the current directory]
    target: Option<PathBuf>,
    /// The suffix of the project's API groups [default: that of the Go project]
    #[arg(long)]
    domain: Option<Domain>,
    /// The project's name [default: that of the Go project]
    #[arg(long, value_name = "NAME")]
    project_name: Option<ProjectName>,
    /// The file or directory in DIR that has the CRDs [default: config/crd/bases and its like]
    #[arg(long, value_name = "PATH")]
    crds: Option<String>,
    /// Leave a place of a CRD out that no Rust type says; may be given more than once
    #[arg(long, value_name = "PATH")]
    allow: Vec<String>,
    /// Say what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Compare this project's operator with the one that it replaces; exits with 1 where they differ
    #[arg(
        long,
        requires = "command",
        conflicts_with_all = ["dir", "target", "domain", "project_name", "crds", "allow", "dry_run"]
    )]
    shadow: bool,
    /// A field of a kind that may differ, and all below it: `deployment:metadata.labels`; may be given more than once
    #[arg(long, value_name = "KIND:FIELD", requires = "shadow")]
    ignore: Vec<Place>,
    /// How long to compare
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = seconds, requires = "shadow")]
    budget: Duration,
    /// How many operators run beside each other
    #[arg(long, value_name = "NUMBER", default_value = "6", requires = "shadow")]
    lanes: usize,
    /// Where stories of your own are, as for `rustop torture`
    #[arg(
        long,
        value_name = "DIR",
        default_value = "tests/torture",
        requires = "shadow"
    )]
    scenarios: PathBuf,
    /// The operator that is replaced, and its arguments
    #[arg(last = true, value_name = "COMMAND", requires = "shadow")]
    command: Vec<OsString>,
}

impl Import {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let Some(dir) = self.dir else {
            let operation = ops::Shadow {
                original: self.command,
                ignored: self.ignore,
                budget: self.budget,
                lanes: self.lanes.max(1),
                scenarios: session.dir.join(self.scenarios),
            };
            return operation.run(session);
        };
        let operation = ops::Import {
            dir,
            target: self.target,
            domain: self.domain,
            name: self.project_name,
            crds: self.crds,
            allow: self.allow,
            dry_run: self.dry_run,
        };
        operation.run(session)?;
        Ok(ExitCode::SUCCESS)
    }
}
