//! `rustop import`.

use std::path::PathBuf;

use clap::Args;

use crate::names::{Domain, ProjectName};
use crate::ops::{self, Result};
use crate::session::Session;

/// Begin a project with what an operator in Go has: its kinds, its permissions, and what is left to write
///
/// DIR is a project of kubebuilder or operator-sdk. Its CRDs become types, versions and all; its RBAC markers come along,
/// or are made of its role; so do webhooks, conversions and samples. IMPORT.md in the new project says what came, what did
/// not, and what to do next. DIR is only read.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop import ../lolcow-operator lolcow-rs
  rustop import ../lolcow-operator lolcow-rs --dry-run")]
pub struct Import {
    /// The Go project
    dir: PathBuf,
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
}

impl Import {
    pub fn run(self, session: &Session) -> Result<()> {
        let operation = ops::Import {
            dir: self.dir,
            target: self.target,
            domain: self.domain,
            name: self.project_name,
            crds: self.crds,
            allow: self.allow,
            dry_run: self.dry_run,
        };
        operation.run(session)
    }
}
