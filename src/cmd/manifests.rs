//! `rustop manifests`.

use clap::Args;

use crate::ops::{self, Output, Result};
use crate::session::Session;

/// Write the CRDs that the Rust types imply, and the roles and webhook configurations that the markers ask for
///
/// Compiles the types to ask them for their CRDs. The project's Helm chart and its OLM bundle follow them, where there are such.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop manifests            # write what changed under config/, charts/ and bundle/
  rustop manifests --check    # write nothing; exit 1 with a diff where something would change
  rustop manifests --check --deny-warnings --output sarif > rustop.sarif    # for code scanning
  rustop manifests --check --against origin/main     # may these CRDs follow those of main?
  rustop manifests --check --against cluster         # those of the cluster of the kubeconfig?

Markers are read in the members of the workspace that the operator is built from, but not in their
tests, examples and benches. They are controller-gen's. `+kubebuilder:webhook` takes three arguments
more, selectors as kubectl has them, and markers of one name are one webhook with several rules:
  namespaceSelector=env=prod;!legacy        objectSelector=`tier in (web, api)`
  matchConditions=`not-leases: request.resource.resource != \"leases\"`

The JSON has `written`, a boolean; `changes`, each with `path`, `action` (create, update or remove)
and `diff`; and `diagnostics`, each with `severity` (error or warning), `rule`, `message`, `help`,
`path`, `line`, `column` and `endColumn`, which are null where there is none.
Columns count characters, from 1.")]
pub struct Manifests {
    /// Write nothing: print what would change as a diff, and fail if anything would
    #[arg(long, conflicts_with = "dry_run")]
    check: bool,
    /// Say what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Take warnings for errors: write nothing when there is one
    #[arg(long)]
    deny_warnings: bool,
    /// Compare the CRDs with those of a commit, a directory, a file or `cluster`: what breaks stored objects or clients
    /// is an error, unless it is allowed in place
    #[arg(long, value_name = "REF|DIR|FILE|cluster")]
    against: Option<String>,
    /// What to print on stdout
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
