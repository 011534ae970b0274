//! The operation of `rustop create bundle`.

use clap::Args;

use crate::ops::{Refusal, Result, Transition, bundle, manifests};
use crate::session::Session;

/// An operation that adds an OLM bundle to the project. [`crate::ops::Manifests`] keeps it up to
/// date.
#[derive(Args, Debug)]
pub struct CreateBundle {
    /// Print the changes without writing any file
    #[arg(long)]
    pub dry_run: bool,
}

impl CreateBundle {
    /// Adds the OLM bundle to the project.
    ///
    /// # Errors
    /// Returns an error if the project already has a bundle, or if files are in the way.
    pub fn run(&self, session: &Session) -> Result<()> {
        let root = &session.dir;
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        // An interrupted run of the same command may already have made the change.
        let finished = transition.recovered() && project.bundle;
        if project.bundle && !finished {
            return Err(Refusal::BundleExists.into());
        }
        let mut after = project.by_this_rustop();
        after.bundle = true;
        if !finished {
            after.check_after(Some(&project))?;
            let before = manifests::files_on_disk(root, &project)?;
            // Use the manifests on the disk. Only a build could show whether they match the
            // sources.
            let mut tree = manifests::files_on_disk(root, &after)?;
            for path in bundle::files_on_disk(root, &after)?.keys() {
                tree.remove(path);
            }
            let notes = bundle::add(root, &after, &mut tree)?;
            transition.write(&before, &tree)?;
            for note in notes {
                session.terminal.warning(note);
            }
        }
        if !self.dry_run {
            session.terminal.note("Next: rustop manifests");
        }
        Ok(())
    }
}
