//! Without something that a project had besides its kinds.

use crate::ops::{Refusal, Result, Transition, chart};
use crate::project::Part;
use crate::scaffold;
use crate::session::Session;

/// Takes a part out of the project.
pub struct DeletePart {
    /// Which one.
    pub part: Part,
    /// Whether nothing is to be written.
    pub dry_run: bool,
}

impl DeletePart {
    /// # Errors
    /// When the project does not have it.
    pub fn run(&self, session: &Session) -> Result<()> {
        let root = &session.dir;
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        let mut after = project.clone();
        if !after.parts.remove(&self.part) {
            // A killed run of the same command has done it.
            return if transition.recovered() {
                Ok(())
            } else {
                Err(Refusal::NoPart(self.part).into())
            };
        }
        let rendered = scaffold::render(&after);
        let mut all = match self.part.directory() {
            Some(directory) => chart::files(root, directory)?,
            None => Vec::new(),
        };
        let before = scaffold::render(&project);
        let only_here = before.iter().map(|(path, _)| path.to_owned());
        all.extend(only_here.filter(|path| rendered.get(path).is_none()));
        all.sort();
        all.dedup();
        let step = transition.without(&project, &after)?;
        // What the user added, and what they changed.
        let is_left = |path: &&String| !step.removes_or_renders(path) && root.join(path).exists();
        let left: Vec<_> = all.iter().filter(is_left).map(String::as_str).collect();
        session.terminal.list("Yours to remove", &left);
        Ok(())
    }
}
