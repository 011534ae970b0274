//! The operations of `rustop lint`: checks of the project's types against the conventions.

use super::baseline::{self, Baseline};
use super::output::{Output, found_by};
use super::{Result, Transition, adopted, types};
use crate::diagnostic::lints::conventions::{CONVENTIONS, Convention};
use crate::diagnostic::{Diagnostic, Problems};
use crate::disk;
use crate::project::{self, LintConfig, Project};
use crate::session::Session;
use crate::text::{count, table};
use crate::tree::{Change, Plan};

/// Checks the types and prints the diagnostics in the given format.
///
/// # Errors
/// Returns an error if the API server would reject a type, or if there is a warning and
/// `deny_warnings` is set.
pub fn run(session: &Session, deny_warnings: bool, output: Output) -> Result<()> {
    let baseline = Baseline::read(&session.dir)?;
    let found = check(session, &baseline, deny_warnings);
    if let Ok(warnings) = &found {
        report_success(session, warnings.len());
        // The author of an operator that exists already may not want to change released types.
        if !warnings.is_empty() && baseline.len() == 0 && project::is_adopted(&session.dir) {
            session.terminal.note(format_args!(
                "`rustop lint --baseline` records these warnings in {}; later runs report only new ones",
                baseline::FILE
            ));
        }
    }
    let all = found.as_ref().map_or_else(found_by, Vec::clone);
    if let Some(report) = output.report(&[], false, &all) {
        session.terminal.data(&report)?;
    }
    found.map(drop)
}

/// Writes today's warnings to the baseline. Later runs report only other ones.
///
/// # Errors
/// Returns an error if the API server would reject a type, or if the file cannot be written.
pub fn write_baseline(session: &Session) -> Result<()> {
    let found = check(session, &Baseline::default(), false)?;
    let baseline = Baseline::of(&found);
    let after = baseline.to_text();
    let before = disk::read_in(&session.dir, baseline::FILE)?;
    let changes = if before.as_ref() == Some(&after) {
        Vec::new()
    } else {
        vec![Change {
            path: baseline::FILE.to_owned(),
            before,
            after: Some(after),
            edited: false,
        }]
    };
    let plan = Plan {
        changes,
        conflicts: Vec::new(),
    };
    Transition::begin(&session.dir, session, false)?.carry_out(&plan)?;
    let known = count(baseline.len(), "finding");
    session
        .terminal
        .status("Recorded", format_args!("{known} in {}", baseline::FILE));
    Ok(())
}

/// Prints the rules and whether the project enables them. Outside of a project, prints the
/// defaults.
///
/// # Errors
/// Returns an error if PROJECT cannot be read.
pub fn list(session: &Session) -> Result<()> {
    let config = match Project::load(&session.dir) {
        Ok(project) => project.lint,
        Err(
            project::Error::Adopted { .. }
            | project::Error::NoProject { .. }
            | project::Error::Foreign { .. },
        ) => LintConfig::default(),
        Err(error) => return Err(error.into()),
    };
    let on = config.resolve().rules;
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

/// Reports that the types were checked. Without this message, the user could not tell whether
/// anything was checked.
fn report_success(session: &Session, warnings: usize) {
    let warnings = match warnings {
        0 => "no warnings".to_owned(),
        some => count(some, "warning"),
    };
    session
        .terminal
        .status("Checked", format_args!("the types: {warnings}"));
}

/// Checks the types of a project, whether scaffolded or adopted. Returns the warnings that the
/// baseline does not contain.
fn check(session: &Session, baseline: &Baseline, deny_warnings: bool) -> Result<Vec<Diagnostic>> {
    if project::is_adopted(&session.dir) {
        return adopted::lint(session, baseline, deny_warnings);
    }
    let project = Project::load(&session.dir)?;
    let sources = types::sources(&session.dir, &project)?;
    // A suppression that cannot be parsed must not be ignored.
    if !sources.scan.diagnostics.is_empty() {
        return Err(Problems(sources.scan.diagnostics).into());
    }
    let crds = types::crds(session, &project, &sources.types)?;
    let lint_rules = project.lint.resolve();
    types::lint(
        session,
        &crds,
        &sources,
        &lint_rules,
        baseline,
        deny_warnings,
    )
}
