//! What `init` decided, decided anew.

use super::{Result, Transition};
use crate::project::{ManagerSource, Project};
use crate::session::Session;

/// Changes what a project was begun with; what is not given stays.
pub struct Edit {
    /// Where the project has the manager from.
    pub manager: Option<ManagerSource>,
    /// Whether nothing is to be written.
    pub dry_run: bool,
}

impl Edit {
    /// # Errors
    /// When there is no project, or the user changed the lines that are to change.
    pub fn run(&self, session: &Session) -> Result<()> {
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        let mut after = project.clone();
        self.change(&mut after);
        transition.edit(&project, &after)
    }

    fn change(&self, project: &mut Project) {
        if let Some(manager) = self.manager {
            project.manager = manager;
        }
    }
}
