//! The operation of `rustop delete` for an optional part of a project.

use clap::Args;

use crate::ops::{Refusal, Result, Transition, chart, leftovers};
use crate::project::Part;
use crate::scaffold;
use crate::session::Session;

/// An operation that removes an optional part from the project.
#[derive(Args, Debug)]
pub struct DeletePart {
    /// Print the changes without writing any file
    #[arg(long)]
    pub dry_run: bool,
}

impl DeletePart {
    /// Removes an optional part from the project.
    ///
    /// # Errors
    /// Returns an error if the project does not have the part, or if another part extends its
    /// files.
    pub fn run(&self, part: Part, session: &Session) -> Result<()> {
        let root = &session.dir;
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        let mut after = project.clone();
        if !after.parts.remove(&part) {
            // An interrupted run of the same command has made the change.
            return if transition.recovered() {
                Ok(())
            } else {
                Err(Refusal::NoPart(part).into())
            };
        }
        let mut others = after.parts.iter();
        if let Some(needed_by) = others.find(|other| other.requires() == Some(part)) {
            return Err(Refusal::PartNeeded {
                part,
                needed_by: *needed_by,
            }
            .into());
        }
        let rendered = scaffold::render(&after);
        let mut all = match part.directory() {
            Some(directory) => chart::files(root, directory)?,
            None => Vec::new(),
        };
        let before = scaffold::render(&project);
        let only_here = before.iter().map(|(path, _)| path.to_owned());
        all.extend(only_here.filter(|path| rendered.get(path).is_none()));
        all.sort();
        all.dedup();
        let step = transition.remove(&project, &after)?;
        // The files that the user has added or changed.
        let is_left = |path: &&String| !step.removes_or_renders(path) && root.join(path).exists();
        let left: Vec<_> = all.iter().filter(is_left).map(String::as_str).collect();
        session.terminal.list("For you to remove", &left);
        list_references(part, session);
        if !self.dry_run && after.chart.is_some() && part.is_in_chart() {
            session
                .terminal
                .note("Next: rustop manifests, which updates the chart");
        }
        Ok(())
    }
}

/// Lists the lines of kustomizations that refer to the directory of the part.
fn list_references(part: Part, session: &Session) {
    let directory = part.directory();
    let Some(name) = directory.and_then(|directory| directory.strip_prefix("config/")) else {
        return;
    };
    let name = format!("../{name}");
    let lines = leftovers::lines(
        &session.dir,
        &|path| {
            path.ends_with("/kustomization.yaml")
                .then(|| leftovers::text_of(&session.dir, path))
        },
        &|line| !line.trim_start().starts_with('#') && leftovers::names_it(line, &name),
    );
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    session.terminal.list(
        "For you to change, because they refer to removed items",
        &lines,
    );
}
