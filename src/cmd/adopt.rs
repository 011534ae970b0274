//! `rustop adopt`.

use clap::Args;

use super::format::Format;
use crate::ops;

/// Use rustop's tools for an operator that already exists
///
/// Finds out how the operator in DIR is built and installed, and writes the result to rustop.yaml;
/// no other file is changed, and nothing is built. Prints a line for each finding, with the file
/// from which it follows. The flags replace a finding, or choose one of several. In a directory
/// with a rustop.yaml, prints what would change.
#[derive(Args, Debug)]
#[group(skip)]
#[command(after_help = "Examples:
  rustop adopt
  rustop adopt ../lolcow-operator --dry-run
  rustop adopt --bin controller --deploy charts/controller
  rustop adopt --command 'python -m kopf run op.py' --crds crd.yaml
  rustop adopt --crds-command 'cargo run -q --bin crdgen' --crds yaml/crd.yaml

Then: rustop manifests --check and rustop lint.")]
pub struct Adopt {
    #[command(flatten)]
    pub operation: ops::Adopt,
    #[command(flatten)]
    pub format: Format,
}
