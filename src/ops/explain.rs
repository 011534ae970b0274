//! The operation of `rustop explain`: documentation of the rules.

use super::Result;
use crate::diagnostic::{Lint, lints};
use crate::session::Session;
use crate::text::table;

/// Prints the explanation of a rule. Prints a list of all rules if `rule` is `None` or unknown.
///
/// # Errors
/// Returns an error if stdout cannot be written.
pub fn explain(session: &Session, rule: Option<&str>) -> Result<()> {
    let requested = lints::all().find(|lint| Some(lint.id) == rule);
    Ok(session
        .terminal
        .data(&requested.map_or_else(rules, explained))?)
}

fn rules() -> String {
    let rows = lints::all().map(|lint| vec![lint.id.to_owned(), lint.finds.to_owned()]);
    table(&["RULE", "FINDS"], rows)
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
