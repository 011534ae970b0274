//! `rustop edit`.

use std::process::ExitCode;

use clap::Args;

use super::Session;
use crate::error::Result;
use crate::project::{ManagerSource, Project};
use crate::scaffold;

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

impl Changes {
    fn make(&self, project: &mut Project) {
        if let Some(manager) = self.manager {
            project.manager = manager;
        }
    }
}

impl Edit {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let root = &session.dir;
        let (mut site, project) = scaffold::open(session, root, self.dry_run)?;
        let mut after = project.clone();
        self.changes.make(&mut after);
        after.check()?;
        let mut before = scaffold::render(&project);
        let mut tree = scaffold::render(&after.by_this_rustop());
        scaffold::merge(root, &mut before, &mut tree)?;
        scaffold::apply(session, site.as_mut(), root, &before, &tree)?;
        Ok(ExitCode::SUCCESS)
    }
}
