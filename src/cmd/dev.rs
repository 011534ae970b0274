//! `rustop dev`.

use clap::Args;

use super::format::Format;
use crate::ops;

/// Run the operator and its samples on a control plane on this machine
///
/// Writes the manifests, starts the project's cluster if it is not running, applies CRDs, roles and
/// samples, builds the operator, and runs it with the permissions of its own ServiceAccount: a
/// permission that is missing in production is missing here, too. Prints the URL of a web page that
/// shows the objects and their children, why an object is not Ready, and the actions of the
/// operator over time.
///
/// Ctrl-C stops the operator, and the cluster if this command started it; `rustop cluster delete`
/// removes the cluster's data. The cluster belongs to the project's directory, and only one `rustop
/// dev` can use it at a time.
#[derive(Args, Debug)]
#[group(skip)]
#[command(after_help = "Examples:
  rustop dev
  rustop dev --watch                    # rebuild and restart when a source file changes
  rustop dev --open                     # also open the web page
  rustop dev --record run.jsonl         # `rustop show run.jsonl` shows the page again
  rustop dev --once --timeout 120s      # for scripts: exit 0 once all samples are Ready
  rustop dev --kubeconfig ~/.kube/config")]
pub struct Dev {
    #[command(flatten)]
    pub format: Format,
    #[command(flatten)]
    pub operation: ops::Dev,
}
