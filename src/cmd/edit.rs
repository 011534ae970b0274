//! `rustop edit`.

use clap::Args;

use super::format::Format;
use crate::ops;

/// Change settings that were chosen at `rustop init`
///
/// Regenerates generated files and merges the change into user files, like `rustop upgrade`. If you
/// changed the same lines, the command writes git's conflict markers, fails and lists the files. It
/// also lists references to the old values that remain in user files and in clusters.
#[derive(Args, Debug)]
#[group(skip)]
#[command(override_usage = "rustop edit [OPTIONS] <CHANGE>...")]
#[command(after_help = "Examples:
  rustop edit --domain other.domain --project-name cow-operator
  rustop edit --namespaced             # a Role, and WATCH_NAMESPACE; undo: --namespaced=false
  rustop edit --license mit --owner 'The Lolcow Authors' --dry-run -v
  rustop edit --manager registry       # a dependency in Cargo.toml instead of vendor/rustop-manager
  rustop edit --manager-features inspect")]
pub struct Edit {
    #[command(flatten)]
    pub format: Format,
    #[command(flatten)]
    pub operation: ops::Edit,
}
