//! The conventions on the project's types.

use super::output::{Output, found_by};
use super::{Result, types};
use crate::diagnostic::lints::conventions::{CONVENTIONS, Convention};
use crate::diagnostic::{Diagnostic, Problems};
use crate::project::{self, LintConfig, Project};
use crate::session::Session;
use crate::text::{count, table};

/// Checks the types and prints what was found in the form that is asked for.
///
/// # Errors
/// When the API server would refuse a type, or there is a warning and warnings are denied.
pub fn run(session: &Session, deny_warnings: bool, output: Output) -> Result<()> {
    let found = check(session, deny_warnings);
    if let Ok(warnings) = &found {
        tell(session, warnings.len());
    }
    let all = found.as_ref().map_or_else(found_by, Vec::clone);
    if let Some(report) = output.report(&[], false, &all) {
        session.terminal.data(&report)?;
    }
    found.map(drop)
}

/// Prints the rules, as the project has them; outside of a project, as they are from the start.
///
/// # Errors
/// When the project cannot be read.
pub fn list(session: &Session) -> Result<()> {
    let config = match Project::load(&session.dir) {
        Ok(project) => project.lint,
        Err(project::Error::NoProject { .. } | project::Error::Foreign { .. }) => {
            LintConfig::default()
        }
        Err(error) => return Err(error.into()),
    };
    let on = config.looking().rules;
    let row = |rule: &Convention| {
        let is_on = on.iter().any(|other| other.lint == rule.lint);
        let state = if is_on { "on" } else { "off" };
        vec![
            rule.lint.id.to_owned(),
            state.to_owned(),
            rule.lint.finds.to_owned(),
        ]
    };
    let rows = CONVENTIONS.iter().map(row);
    Ok(session
        .terminal
        .data(&table(&["RULE", "STATE", "FINDS"], rows))?)
}

/// Says that the types were checked: nothing at all could as well mean that nothing was.
fn tell(session: &Session, warnings: usize) {
    let warnings = match warnings {
        0 => "no warnings".to_owned(),
        some => count(some, "warning"),
    };
    session
        .terminal
        .status("Checked", format_args!("the types: {warnings}"));
}

fn check(session: &Session, deny_warnings: bool) -> Result<Vec<Diagnostic>> {
    let project = Project::load(&session.dir)?;
    let sources = types::sources(&session.dir, &project)?;
    // A comment that should allow something, and cannot be read, must not be passed over.
    if !sources.scan.diagnostics.is_empty() {
        return Err(Problems(sources.scan.diagnostics).into());
    }
    let crds = types::crds(&session.dir, &project, &sources.types)?;
    let looking = project.lint.looking();
    types::lint(session, &crds, &sources, &looking, deny_warnings)
}
