//! The operation of `rustop delete chart`.

use clap::Args;

use crate::chart::directory;
use crate::ops::{Refusal, Result, Transition, chart};
use crate::scaffold;
use crate::session::Session;

/// An operation that removes the Helm chart from the project.
#[derive(Args, Debug)]
pub struct DeleteChart {
    /// Print the changes without writing any file
    #[arg(long)]
    pub dry_run: bool,
}

impl DeleteChart {
    /// Removes the Helm chart from the project, and lists the remaining files in its directory,
    /// which the user has added or changed.
    ///
    /// # Errors
    /// Returns an error if the project has no chart.
    pub fn run(&self, session: &Session) -> Result<()> {
        let root = &session.dir;
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        let Some(name) = &project.chart else {
            // An interrupted run of the same command has made the change.
            return if transition.recovered() {
                Ok(())
            } else {
                Err(Refusal::NoChart.into())
            };
        };
        let mut after = project.clone();
        after.chart = None;
        let all = chart::files(root, &directory(name))?;
        let mut before = scaffold::render(&project);
        // A template with the header of a generated file is removed even if rustop would now
        // render another text.
        for (path, text) in chart::files_on_disk(root, &project)? {
            before.set_generated(&path, text);
        }
        let step = transition.remove_from(before, &project, &after)?;
        // The files that the user has added or changed.
        let is_left = |path: &&String| !step.removes_or_renders(path) && root.join(path).exists();
        let left: Vec<_> = all.iter().filter(is_left).map(String::as_str).collect();
        session.terminal.list("For you to remove", &left);
        Ok(())
    }
}
