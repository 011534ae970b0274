//! The operation of `rustop create simulation`.

use clap::Args;

use crate::ops::{Result, Transition};
use crate::project::Project;
use crate::scaffold;
use crate::session::Session;
use crate::simulation::{Error, TEST_FILE};

/// An operation that writes `tests/simulation.rs` of a project that has deleted it, or that was
/// created without it.
#[derive(Args, Debug)]
pub struct CreateSimulation {
    /// Print the changes without writing any file
    #[arg(long)]
    pub dry_run: bool,
}

impl CreateSimulation {
    /// Adds the simulation test to the project.
    ///
    /// # Errors
    /// Returns an error if the project has the file, or no kind that can be simulated.
    pub fn run(&self, session: &Session) -> Result<()> {
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        let in_the_way = in_the_way(&project);
        if in_the_way.is_some() {
            return Err(Error::NothingToSimulate { in_the_way }.into());
        }
        let exists = session.dir.join(TEST_FILE).symlink_metadata().is_ok();
        if exists && transition.recovered() {
            return Ok(());
        }
        if exists {
            return Err(Error::Exists.into());
        }
        let after = scaffold::render(&project.by_this_rustop());
        if after.get(TEST_FILE).is_none() {
            return Err(Error::NothingToSimulate { in_the_way }.into());
        }
        // Everything else is equal in both trees, so that only the test is written.
        let mut before = after.clone();
        before.remove(TEST_FILE);
        transition.write(&before, &after)?;
        if !self.dry_run {
            session.terminal.note("Next: rustop simulate");
        }
        Ok(())
    }
}

/// Returns the kind whose test has the path of the simulation: a kind `Simulation`.
fn in_the_way(project: &Project) -> Option<String> {
    let mut kinds = project.resources.iter();
    let kind = kinds.find(|it| it.is_tested() && it.test_file() == TEST_FILE);
    kind.map(ToString::to_string)
}
