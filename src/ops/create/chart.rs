//! A Helm chart.

use std::path::Path;

use crate::names::ProjectName;
use crate::ops::{Refusal, Result, Transition, chart, manifests};
use crate::project::Project;
use crate::scaffold;
use crate::session::Session;
use crate::tree::Tree;

/// Adds a Helm chart to the project, which [`crate::ops::Manifests`] keeps true.
pub struct CreateChart {
    /// Its name; that of the project where none is given.
    pub name: Option<ProjectName>,
    /// Whether nothing is to be written.
    pub dry_run: bool,
}

impl CreateChart {
    /// # Errors
    /// When there is one, or something is in the way.
    pub fn run(&self, session: &Session) -> Result<()> {
        let root = &session.dir;
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        let name = self.name.as_ref().unwrap_or(&project.project_name).clone();
        // What this run was to do, a killed run of the same command may have done.
        let finished = transition.recovered() && project.chart.as_ref() == Some(&name);
        if let (Some(name), false) = (&project.chart, finished) {
            let name = name.to_string();
            return Err(Refusal::ChartExists { name }.into());
        }
        let mut after = project.by_this_rustop();
        after.chart = Some(name);
        if !finished {
            after.check_after(Some(&project))?;
            let before = manifests::found(root, &project)?;
            transition.write(&before, &whole(root, &after)?)?;
        }
        if !self.dry_run {
            session.terminal.note("Next: rustop manifests");
        }
        Ok(())
    }
}

/// A project with its chart, made of the manifests that are there. Whether they fit the sources only the compiler knows.
fn whole(root: &Path, project: &Project) -> Result<Tree> {
    let mut tree = manifests::found(root, project)?;
    for path in chart::found(root, project)?.keys() {
        // What is in the way is not hidden.
        if scaffold::render(project).get(path).is_none() {
            tree.remove(path);
        }
    }
    // `rustop manifests`, which follows, repeats the notes.
    let _notes = chart::add(root, project, &mut tree)?;
    Ok(tree)
}
