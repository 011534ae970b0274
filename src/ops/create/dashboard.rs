//! Grafana dashboards, and alerts.

use crate::ops::{Refusal, Result, Transition};
use crate::session::Session;

/// Adds dashboards and alerts to the project. [`crate::ops::Manifests`] keeps the dashboards true: they follow from
/// `PROJECT`.
pub struct CreateDashboard {
    /// Whether nothing is to be written.
    pub dry_run: bool,
}

impl CreateDashboard {
    /// # Errors
    /// When there are some, or something is in the way.
    pub fn run(&self, session: &Session) -> Result<()> {
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        // What this run was to do, a killed run of the same command may have done.
        let finished = transition.recovered() && project.dashboards;
        if project.dashboards && !finished {
            return Err(Refusal::DashboardsExist.into());
        }
        let mut after = project.by_this_rustop();
        after.dashboards = true;
        if !finished {
            transition.step(&project, &after)?;
        }
        if !self.dry_run {
            let next =
                "Next: take the # before rules.yaml away in config/prometheus/kustomization.yaml";
            session.terminal.note(next);
        }
        Ok(())
    }
}
