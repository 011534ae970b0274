//! `rustop lint`.

use clap::Args;

use crate::ops::{self, Output, Result};
use crate::session::Session;

/// Check the project's types against the Kubernetes API conventions
///
/// Builds the types to generate their CRDs, and writes no file of the project. Reports types that
/// the API server would reject as errors, and violated rules as warnings; `rustop explain`
/// describes each rule. Enable or disable rules in PROJECT (`lint: { enable: [max-length], disable:
/// [no-phase] }`). Suppress a warning with a comment above the field: `// rustop:allow(no-phase):
/// users know it by that name`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop lint                            # exit 1 if the API server would reject a type
  rustop lint --deny-warnings            # exit 1 if there are any warnings
  rustop lint --baseline                 # accept the warnings of today
  rustop lint --output sarif > lint.sarif    # for code scanning
  rustop lint --list                     # all rules, and whether they are enabled")]
pub struct Lint {
    /// Treat warnings as errors
    #[arg(long)]
    deny_warnings: bool,
    /// List all rules, and whether they are enabled
    #[arg(long, conflicts_with_all = ["baseline", "deny_warnings", "output"])]
    list: bool,
    /// Write all current warnings to rustop-lint.yaml, so that later runs report only new ones
    #[arg(long, conflicts_with_all = ["deny_warnings", "output"])]
    baseline: bool,
    /// Output format
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

impl Lint {
    pub fn run(self, session: &Session) -> Result<()> {
        if self.list {
            ops::lint::list(session)
        } else if self.baseline {
            ops::lint::write_baseline(session)
        } else {
            ops::lint::run(session, self.deny_warnings, self.output)
        }
    }
}
