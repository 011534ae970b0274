//! The operation of `rustop explain`: documentation of the rules and of the classes of findings.

use super::Result;
use crate::diagnostic::bug_class::{self, BugClass};
use crate::diagnostic::{Lint, lints};
use crate::session::Session;
use crate::text::table;

/// Prints the explanation of a rule or a class of findings. Prints lists of all of them if `name`
/// is `None` or unknown.
///
/// # Errors
/// Returns an error if stdout cannot be written.
pub fn explain(session: &Session, name: Option<&str>) -> Result<()> {
    let rule = lints::all().find(|lint| Some(lint.id) == name);
    let class = name.and_then(bug_class::named);
    let text = rule.map(explained).or_else(|| class.map(explained_class));
    Ok(session.terminal.data(&text.unwrap_or_else(lists))?)
}

fn lists() -> String {
    let rules = lints::all().map(|lint| vec![lint.id.to_owned(), lint.finds.to_owned()]);
    let classes = bug_class::ALL.iter();
    let classes = classes.map(|class| vec![class.name.to_owned(), class.symptom.to_owned()]);
    format!(
        "{}\n{}",
        table(&["RULE", "FINDS"], rules),
        table(&["FINDING", "SHOWS"], classes)
    )
}

fn explained(Lint { id, finds, why }: &Lint) -> String {
    format!(
        "{id}: {finds}

{why}

If it is intended, give the reason in a comment on a separate line above it:

    // rustop:allow({id}): reason
"
    )
}

fn explained_class(class: &BugClass) -> String {
    let BugClass {
        name,
        symptom,
        harm,
        cause,
        fix,
        reported_by,
    } = class;
    let harm = harm.map(|harm| format!("\n{harm}\n")).unwrap_or_default();
    format!(
        "{name}: {symptom}
{harm}
Cause: {cause}

Fix: {fix}

Reported by {}.
",
        reported_by.commands()
    )
}
