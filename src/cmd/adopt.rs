//! `rustop adopt`.

use std::path::PathBuf;

use clap::Args;

use super::format::Format;
use crate::ops::{self, Result};
use crate::session::Session;

/// Use rustop's tools for an operator that already exists
///
/// Finds out how the operator in DIR is built and installed, and writes the result to rustop.yaml;
/// no other file is changed, and nothing is built. Prints a line for each finding, with the file
/// from which it follows. The flags replace a finding, or choose one of several. In a directory
/// with a rustop.yaml, prints what would change.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop adopt
  rustop adopt ../lolcow-operator --dry-run
  rustop adopt --bin controller --deploy charts/controller
  rustop adopt --crds-command 'cargo run -q --bin crdgen' --crds yaml/crd.yaml

Then: rustop manifests --check and rustop lint.")]
pub struct Adopt {
    /// Directory of the repository [default: the current directory]
    dir: Option<PathBuf>,
    /// Shell line that prints the CRDs or writes them to files
    #[arg(long, value_name = "COMMAND")]
    crds_command: Option<String>,
    /// Committed copy of the CRDs, also as a template of a chart; can be repeated
    #[arg(long, value_name = "PATH")]
    crds: Vec<String>,
    /// Name of the operator's program
    #[arg(long, value_name = "NAME")]
    bin: Option<String>,
    /// Manifests that install the operator: a chart, a kustomization, or files separated by commas,
    /// if need be as chart:DIR, kustomize:DIR or files:PATH
    #[arg(long, value_name = "PATH")]
    deploy: Option<String>,
    /// File with samples of the operator's kinds, with `*` for any name; can be repeated
    #[arg(long, value_name = "PATH")]
    samples: Vec<String>,
    /// Name of the project [default: that of the program's package]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Replace an existing rustop.yaml
    #[arg(long)]
    force: bool,
    /// Print rustop.yaml without writing it
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    pub format: Format,
}

impl Adopt {
    pub fn run(self, session: &Session) -> Result<()> {
        let operation = ops::Adopt {
            dir: self.dir,
            crds_command: self.crds_command,
            crds: self.crds,
            bin: self.bin,
            deploy: self.deploy,
            samples: self.samples,
            name: self.name,
            force: self.force,
            dry_run: self.dry_run,
        };
        operation.run(session)
    }
}
