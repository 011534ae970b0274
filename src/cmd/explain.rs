//! `rustop explain`.

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::diagnostic::lints;
use crate::ops::{self, Result};
use crate::session::Session;

/// Explain a rule and how to suppress its warnings
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop explain                  # all rules
  rustop explain rbac-wildcard")]
pub struct Explain {
    /// Name of the rule, as printed in brackets after `warning`
    #[arg(value_parser = PossibleValuesParser::new(lints::all().map(|lint| lint.id)), hide_possible_values = true)]
    rule: Option<String>,
}

impl Explain {
    pub fn run(self, session: &Session) -> Result<()> {
        ops::explain(session, self.rule.as_deref())
    }
}
