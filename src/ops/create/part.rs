//! The operation of `rustop create` for an optional part of a project.

use clap::Args;

use crate::ops::{Refusal, Result, Transition};
use crate::project::Part;
use crate::session::Session;

/// An operation that adds an optional part to the project. [`crate::ops::Manifests`] keeps its
/// generated files up to date, since they follow from `PROJECT`.
#[derive(Args, Debug)]
pub struct CreatePart {
    /// Print the changes without writing any file
    #[arg(long)]
    pub dry_run: bool,
}

impl CreatePart {
    /// Adds an optional part, and the parts that it requires, to the project.
    ///
    /// # Errors
    /// Returns an error if the project already has the part, or if files are in the way.
    pub fn run(&self, part: Part, session: &Session) -> Result<()> {
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        let mut after = project.by_this_rustop();
        let is_new = after.parts.insert(part);
        after.parts.extend(part.requires());
        // An interrupted run of the same command may already have made the change.
        if !is_new && !transition.recovered() {
            return Err(Refusal::PartExists(part).into());
        }
        if is_new {
            transition.step(&project, &after)?;
        }
        if !self.dry_run {
            let is_in_chart = after.chart.is_some() && part.is_in_chart();
            let manifests = if is_in_chart {
                ", then rustop manifests, which updates the chart"
            } else {
                ""
            };
            session
                .terminal
                .note(format_args!("Next: {}{manifests}", part.next()));
        }
        Ok(())
    }
}
