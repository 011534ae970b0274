//! `rustop manifests`.

use clap::Args;

use crate::ops::{self, Output, Result};
use crate::session::Session;

/// Generate CRDs from the Rust types, and roles and webhook configurations from the markers
///
/// Builds the types to generate their CRDs. Also updates the project's Helm chart, OLM bundle and
/// dashboards, if it has them.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop manifests            # update config/, charts/ and bundle/
  rustop manifests --check    # write nothing; print a diff and exit 1 if files are out of date
  rustop manifests --check --deny-warnings --output sarif > rustop.sarif    # for code scanning
  rustop manifests --check --against origin/main     # do the CRDs break those of main?
  rustop manifests --check --against cluster         # or those in the cluster of the kubeconfig?

rustop reads controller-gen's markers in the workspace members that the operator is built from,
except in their tests, examples and benches. `+kubebuilder:webhook` has three additional arguments,
with selectors in kubectl's syntax. Markers with the same name form one webhook with several rules:
  namespaceSelector=env=prod;!legacy        objectSelector=`tier in (web, api)`
  matchConditions=`not-leases: request.resource.resource != \"leases\"`

The JSON output has the fields `written`, a boolean; `changes`, each with `path`, `action` (create,
update or remove) and `diff`; and `diagnostics`, each with `severity` (error or warning), `rule`,
`message`, `help`, `path`, `line`, `column` and `endColumn`, which are null if unknown.
Columns count characters, from 1.")]
pub struct Manifests {
    /// Write nothing; print the changes as a diff, and fail if there are any
    #[arg(long, conflicts_with = "dry_run")]
    check: bool,
    /// Print the changes without writing any file
    #[arg(long)]
    dry_run: bool,
    /// Treat warnings as errors: write nothing if there are any
    #[arg(long)]
    deny_warnings: bool,
    /// Compare the CRDs with those of a commit, a directory, a file or `cluster`, and report
    /// changes that break stored objects or clients as errors, unless a comment suppresses them
    #[arg(long, value_name = "REF|DIR|FILE|cluster")]
    against: Option<String>,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = Output::Text)]
    output: Output,
}

impl Manifests {
    pub fn run(self, session: &Session) -> Result<()> {
        let operation = ops::Manifests {
            check: self.check,
            dry_run: self.dry_run,
            deny_warnings: self.deny_warnings,
            against: self.against,
            output: self.output,
        };
        operation.run(session)
    }
}
