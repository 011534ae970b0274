//! `rustop edit`.

use clap::Args;

use crate::ops::{self, Result};
use crate::project::ManagerSource;
use crate::session::Session;

/// Change what `rustop init` decided
///
/// rustop's own files are rendered anew. Into yours the change is merged, as git would do it; where you changed the
/// same lines, nothing is written, and the error has what is to be changed by hand.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop edit --manager registry       # a line in Cargo.toml instead of vendor/rustop-manager
  rustop edit --manager vendored --dry-run")]
pub struct Edit {
    #[command(flatten)]
    changes: Changes,
    /// Say what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// What changes.
#[derive(Args, Debug)]
#[group(required = true, multiple = true)]
struct Changes {
    /// Where the project has the crate from that its operator runs on
    #[arg(long, value_enum, value_name = "SOURCE")]
    manager: Option<ManagerSource>,
}

impl Edit {
    pub fn run(self, session: &Session) -> Result<()> {
        let operation = ops::Edit {
            manager: self.changes.manager,
            dry_run: self.dry_run,
        };
        operation.run(session)
    }
}
