//! `rustop explain`.

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::diagnostic::{bug_class, lints};
use crate::ops::{self, Result};
use crate::session::Session;

/// Explain a rule, or a finding of `rustop torture` and `rustop simulate`
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop explain                  # all rules, and all classes of findings
  rustop explain rbac-wildcard    # a rule, and how to suppress its warnings
  rustop explain stuck-deletion   # the usual causes of a finding, and the fix")]
pub struct Explain {
    /// Name of the rule, as printed in brackets after `warning`, or class of the finding
    #[arg(value_parser = PossibleValuesParser::new(names()), hide_possible_values = true)]
    name: Option<String>,
}

impl Explain {
    pub fn run(self, session: &Session) -> Result<()> {
        ops::explain(session, self.name.as_deref())
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    let classes = bug_class::ALL.iter().map(|class| class.name);
    lints::all().map(|lint| lint.id).chain(classes)
}
