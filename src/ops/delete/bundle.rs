//! The operation of `rustop delete bundle`.

use clap::Args;

use crate::bundle::DIRECTORY;
use crate::ops::{Refusal, Result, Transition, bundle, chart};
use crate::scaffold;
use crate::session::Session;

/// An operation that removes the OLM bundle from the project.
#[derive(Args, Debug)]
pub struct DeleteBundle {
    /// Print the changes without writing any file
    #[arg(long)]
    pub dry_run: bool,
}

impl DeleteBundle {
    /// Removes the OLM bundle from the project.
    ///
    /// # Errors
    /// Returns an error if the project has no bundle.
    pub fn run(&self, session: &Session) -> Result<()> {
        let root = &session.dir;
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        if !project.bundle {
            // An interrupted run of the same command has made the change.
            return if transition.recovered() {
                Ok(())
            } else {
                Err(Refusal::NoBundle.into())
            };
        }
        let mut after = project.clone();
        after.bundle = false;
        let mut all = chart::files(root, DIRECTORY)?;
        let rendered = scaffold::render(&after);
        let mut before = scaffold::render(&project);
        let only_here = before.iter().map(|(path, _)| path.to_owned());
        all.extend(only_here.filter(|path| rendered.get(path).is_none()));
        // A file that rustop generated is removed whatever its text is.
        for (path, text) in bundle::files_on_disk(root, &project)? {
            before.set_generated(&path, text);
        }
        let step = transition.remove_from(before, &project, &after)?;
        // The files that the user has added or changed.
        all.sort();
        all.dedup();
        let is_left = |path: &&String| !step.removes_or_renders(path) && root.join(path).exists();
        let left: Vec<_> = all.iter().filter(is_left).map(String::as_str).collect();
        session.terminal.list("For you to remove", &left);
        Ok(())
    }
}
