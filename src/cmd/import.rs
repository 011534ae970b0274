//! `rustop import`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use crate::names::{Domain, ProjectName};
use crate::ops::values::seconds;
use crate::ops::{self, Result};
use crate::session::Session;
use crate::torture::IgnoredField;

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
#[command(after_help = "Examples:
  rustop import ../lolcow-operator lolcow-rs
  rustop import ../lolcow-operator lolcow-rs --dry-run
  rustop import --shadow -- ../lolcow-operator/bin/manager --metrics-bind-address=0")]
pub struct Import {
    /// Directory of the Go project
    #[arg(required_unless_present = "shadow")]
    dir: Option<PathBuf>,
    /// Directory of the new project [default: the project's name, in the current directory]
    target: Option<PathBuf>,
    /// Domain suffix of the project's API groups [default: the Go project's]
    #[arg(long)]
    domain: Option<Domain>,
    /// Name of the project [default: the Go project's]
    #[arg(long, value_name = "NAME")]
    project_name: Option<ProjectName>,
    /// File or directory in DIR that contains the CRDs [default: config/crd/bases or a similar
    /// directory]
    #[arg(long, value_name = "PATH")]
    crds: Option<String>,
    /// Omit a field of a CRD that Rust types cannot express; can be repeated
    #[arg(long, value_name = "PATH")]
    allow: Vec<String>,
    /// Print the changes without writing any file
    #[arg(long)]
    dry_run: bool,
    /// Compare this project's operator with the one that it replaces; exit 1 if they differ
    #[arg(
        long,
        requires = "command",
        conflicts_with_all = ["dir", "target", "domain", "project_name", "crds", "allow", "dry_run"]
    )]
    shadow: bool,
    /// Ignore differences at or below a field of a kind: `deployment:metadata.labels`; can be
    /// repeated
    #[arg(long, value_name = "KIND:FIELD", requires = "shadow")]
    ignore: Vec<IgnoredField>,
    /// Time limit of the comparison
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = seconds, requires = "shadow")]
    budget: Duration,
    /// Number of operator instances to run in parallel
    #[arg(long, value_name = "NUMBER", default_value = "6", requires = "shadow")]
    lanes: usize,
    /// Directory with your own scenarios, as for `rustop torture`
    #[arg(
        long,
        value_name = "DIR",
        default_value = "tests/torture",
        requires = "shadow"
    )]
    scenarios: PathBuf,
    /// Operator that is replaced, and its arguments
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
