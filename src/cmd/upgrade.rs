//! `rustop upgrade`.

use clap::Args;

use crate::ops::{self, Result};
use crate::session::Session;

/// Bring the project to this version of rustop
///
/// What is rustop's is rendered anew. Your files are merged with what rustop makes of them now, as git would: what it made
/// of them before is known here, so that neither git nor the network is asked. Where both sides changed the same
/// lines, they are marked as git marks them, and the command fails and lists them. All is written, or nothing.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop upgrade
  rustop upgrade --dry-run -v     # what would change, as a diff
  rustop upgrade --check          # for CI: exit 1 where the project is of an earlier rustop")]
pub struct Upgrade {
    /// Write nothing, and fail if the project is of an earlier rustop
    #[arg(long, conflicts_with = "dry_run")]
    check: bool,
    /// Say what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Upgrade {
    pub fn run(self, session: &Session) -> Result<()> {
        let operation = ops::Upgrade {
            check: self.check,
            dry_run: self.dry_run,
        };
        operation.run(session)
    }
}
