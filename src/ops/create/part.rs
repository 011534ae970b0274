//! What a project may have besides its kinds.

use crate::ops::{Refusal, Result, Transition};
use crate::project::Part;
use crate::session::Session;

/// Adds a part to the project. What of it is rustop's [`crate::ops::Manifests`] keeps true: it follows from `PROJECT`.
pub struct CreatePart {
    /// Which one.
    pub part: Part,
    /// Whether nothing is to be written.
    pub dry_run: bool,
}

impl CreatePart {
    /// # Errors
    /// When the project has it, or something is in the way.
    pub fn run(&self, session: &Session) -> Result<()> {
        let part = self.part;
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        let mut after = project.by_this_rustop();
        let is_new = after.parts.insert(part);
        // What this run was to do, a killed run of the same command may have done.
        if !is_new && !transition.recovered() {
            return Err(Refusal::PartExists(part).into());
        }
        if is_new {
            transition.step(&project, &after)?;
        }
        if !self.dry_run {
            session.terminal.note(format_args!("Next: {}", part.next()));
        }
        Ok(())
    }
}
