//! An OLM bundle.

use crate::ops::{Refusal, Result, Transition, bundle, manifests};
use crate::session::Session;

/// Adds an OLM bundle to the project, which [`crate::ops::Manifests`] keeps true.
pub struct CreateBundle {
    /// Whether nothing is to be written.
    pub dry_run: bool,
}

impl CreateBundle {
    /// # Errors
    /// When there is one, or something is in the way.
    pub fn run(&self, session: &Session) -> Result<()> {
        let root = &session.dir;
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        // What this run was to do, a killed run of the same command may have done.
        let finished = transition.recovered() && project.bundle;
        if project.bundle && !finished {
            return Err(Refusal::BundleExists.into());
        }
        let mut after = project.by_this_rustop();
        after.bundle = true;
        if !finished {
            after.check_after(Some(&project))?;
            let before = manifests::found(root, &project)?;
            // Whether the manifests that are there fit the sources only the compiler knows.
            let mut tree = manifests::found(root, &after)?;
            for path in bundle::found(root, &after)?.keys() {
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
