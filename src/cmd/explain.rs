//! `rustop explain`.

use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::Session;
use crate::diagnostic::lints::{self, Lint};
use crate::error::Result;
use crate::terminal::table;

/// Say what a warning means, and how to allow it
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop explain                  # all rules
  rustop explain rbac-wildcard")]
pub struct Explain {
    /// The name that a warning has in brackets
    #[arg(value_parser = PossibleValuesParser::new(lints::all().map(|lint| lint.id)), hide_possible_values = true)]
    rule: Option<String>,
}

impl Explain {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let asked = lints::all().find(|lint| Some(lint.id) == self.rule.as_deref());
        let text = asked.map_or_else(rules, explained);
        session.terminal.data(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}

fn rules() -> String {
    let rows = lints::all().map(|lint| vec![lint.id.to_owned(), lint.finds.to_owned()]);
    table(&["RULE", "FINDS"], rows)
}

fn explained(Lint { id, finds, why }: &Lint) -> String {
    format!(
        "{id}: {finds}

{why}

Where it is meant to be so, say why on a line of its own above it:

    // rustop:allow({id}): reason
"
    )
}
