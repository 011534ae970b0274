//! `rustop upgrade`.

use clap::Args;

use super::format::Format;
use crate::ops;

/// Upgrade the project to this version of rustop
///
/// Regenerates generated files, and merges changes of rustop's templates into user files with a
/// three-way merge, like git. rustop contains the merge base, so that it needs neither git nor the
/// network. If both sides changed the same lines, the command writes git's conflict markers, fails
/// and lists the files. It writes either all files or none.
#[derive(Args, Debug)]
#[group(skip)]
#[command(after_help = "Examples:
  rustop upgrade
  rustop upgrade --dry-run -v     # show the changes as a diff
  rustop upgrade --check          # for CI: exit 1 if the project is of an earlier rustop")]
pub struct Upgrade {
    #[command(flatten)]
    pub format: Format,
    #[command(flatten)]
    pub operation: ops::Upgrade,
}
