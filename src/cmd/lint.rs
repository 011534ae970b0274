//! `rustop lint`.

use clap::Args;

use crate::ops::{self, Output, Result};
use crate::session::Session;

/// Check the project's types against the conventions of Kubernetes' APIs
///
/// Compiles the types, as `rustop manifests` does, to ask them for their CRDs, and writes no file of the project.
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
    pub fn run(self, session: &Session) -> Result<()> {
        if self.list {
            ops::lint::list(session)
        } else {
            ops::lint::run(session, self.deny_warnings, self.output)
        }
    }
}
