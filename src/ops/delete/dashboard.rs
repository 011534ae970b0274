//! No dashboards any more.

use crate::ops::{Refusal, Result, Transition, chart};
use crate::scaffold;
use crate::session::Session;

/// Where dashboards are.
const DIRECTORY: &str = "grafana";

/// Takes the dashboards and the alerts out of the project.
pub struct DeleteDashboard {
    /// Whether nothing is to be written.
    pub dry_run: bool,
}

impl DeleteDashboard {
    /// # Errors
    /// When there are none.
    pub fn run(&self, session: &Session) -> Result<()> {
        let root = &session.dir;
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        if !project.dashboards {
            // A killed run of the same command has done it.
            return if transition.recovered() {
                Ok(())
            } else {
                Err(Refusal::NoDashboards.into())
            };
        }
        let mut after = project.clone();
        after.dashboards = false;
        let rendered = scaffold::render(&after);
        let mut all = chart::files(root, DIRECTORY)?;
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
