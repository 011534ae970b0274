//! The operations of `rustop lint`: checks of the project's types against the conventions.

use super::output::{Output, found_by};
use super::{Result, types};
use crate::diagnostic::lints::conventions::{CONVENTIONS, Convention};
use crate::diagnostic::{Diagnostic, Problems};
use crate::project::{self, LintConfig, Project};
use crate::session::Session;
use crate::text::{count, table};

/// Checks the types and prints the diagnostics in the given format.
///
/// # Errors
/// Returns an error if the API server would reject a type, or if there is a warning and `deny_warnings` is set.
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

/// Prints the rules and whether the project enables them. Outside of a project, prints the defaults.
///
/// # Errors
/// Returns an error if PROJECT cannot be read.
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

/// Reports that the types were checked. Without this message, the user could not tell whether anything was checked.
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
    // A suppression that cannot be parsed must not be ignored.
    if !sources.scan.diagnostics.is_empty() {
        return Err(Problems(sources.scan.diagnostics).into());
    }
    let crds = types::crds(session, &project, &sources.types)?;
    let looking = project.lint.looking();
    types::lint(session, &crds, &sources, &looking, deny_warnings)
}
