//! The operation of `rustop create chart`.

use std::path::Path;

use clap::Args;

use crate::names::ProjectName;
use crate::ops::{Refusal, Result, Transition, chart, manifests};
use crate::project::Project;
use crate::scaffold;
use crate::session::Session;
use crate::tree::Tree;

/// An operation that adds a Helm chart to the project. [`crate::ops::Manifests`] keeps it up to
/// date.
#[derive(Args, Debug)]
pub struct CreateChart {
    /// Name of the chart [default: the project's name]
    #[arg(long)]
    pub name: Option<ProjectName>,
    /// Print the changes without writing any file
    #[arg(long)]
    pub dry_run: bool,
}

impl CreateChart {
    /// Adds the Helm chart to the project.
    ///
    /// # Errors
    /// Returns an error if the project already has a chart, or if files are in the way.
    pub fn run(&self, session: &Session) -> Result<()> {
        let root = &session.dir;
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        let name = self.name.as_ref().unwrap_or(&project.project_name).clone();
        // An interrupted run of the same command may already have made the change.
        let finished = transition.recovered() && project.chart.as_ref() == Some(&name);
        if let (Some(name), false) = (&project.chart, finished) {
            let name = name.to_string();
            return Err(Refusal::ChartExists { name }.into());
        }
        let mut after = project.by_this_rustop();
        after.chart = Some(name);
        if !finished {
            after.check_after(Some(&project))?;
            let before = manifests::files_on_disk(root, &project)?;
            transition.write(&before, &whole(root, &after)?)?;
        }
        if !self.dry_run {
            session.terminal.note("Next: rustop manifests");
        }
        Ok(())
    }
}

/// Returns the files of a project with its chart, generated from the manifests on the disk. Only a
/// build could show whether these match the sources.
fn whole(root: &Path, project: &Project) -> Result<Tree> {
    let mut tree = manifests::files_on_disk(root, project)?;
    for path in chart::files_on_disk(root, project)?.keys() {
        // A path that PROJECT implies stays in the tree, so that a user file at this path is
        // detected.
        if scaffold::render(project).get(path).is_none() {
            tree.remove(path);
        }
    }
    // The notes are not shown here: `rustop manifests`, the next step, shows them.
    let _notes = chart::add(root, project, &mut tree)?;
    Ok(tree)
}
