//! `rustop lint`.

use std::process::ExitCode;

use clap::Args;

use super::output::{Output, found_by};
use super::{Session, types};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::lints::conventions::{CONVENTIONS, Convention};
use crate::error::{Error, Result};
use crate::project::{LintConfig, Project};
use crate::terminal::table;

/// Check the project's types against the conventions of Kubernetes' APIs
///
/// What the API server would refuse is an error, all else a warning of a rule; `rustop explain` says what each
/// is for. A rule is switched on or off in PROJECT (`lint: { enable: [max-length], disable: [no-phase] }`), and
/// a warning is allowed in place by a comment above the field:
/// `// rustop:allow(no-phase): users know it by that name`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop lint                            # exit 1 if the API server would refuse a type
  rustop lint --deny-warnings            # exit 1 if there is anything to say
  rustop lint --output sarif > lint.sarif    # for code scanning
  rustop lint --list                     # all rules, and which of them look")]
pub struct Lint {
    /// Take warnings for errors
    #[arg(long)]
    deny_warnings: bool,
    /// Print the rules, and which of them look
    #[arg(long, conflicts_with_all = ["deny_warnings", "output"])]
    list: bool,
    /// What to print on stdout
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

impl Lint {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        if self.list {
            session.terminal.data(&list(session)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let found = check(session, self.deny_warnings);
        let all = found.as_ref().map_or_else(found_by, Vec::clone);
        if let Some(report) = self.output.report(&[], false, &all) {
            session.terminal.data(&report)?;
        }
        found.map(|_| ExitCode::SUCCESS)
    }
}

fn check(session: &Session, deny_warnings: bool) -> Result<Vec<Diagnostic>> {
    let project = Project::load(&session.dir)?;
    let scan = types::scan(&session.dir, &project)?;
    // A comment that should allow something, and cannot be read, must not be passed over.
    if !scan.diagnostics.is_empty() {
        return Err(Error::Sources(scan.diagnostics));
    }
    let crds = types::crds(&session.dir, &project)?;
    types::lint(
        session,
        &crds,
        &project.lint.looking(),
        &scan.allows,
        deny_warnings,
    )
}

/// The table of rules, as the project has them; outside of a project, as they are from the start.
fn list(session: &Session) -> Result<String> {
    let config = match Project::load(&session.dir) {
        Ok(project) => project.lint,
        Err(Error::NoProject { .. }) => LintConfig::default(),
        Err(error) => return Err(error),
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
    Ok(table(
        &["RULE", "STATE", "FINDS"],
        CONVENTIONS.iter().map(row),
    ))
}
