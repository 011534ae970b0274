//! `rustop run`.

use clap::Args;

use crate::ops;

/// Run the operator on this machine with the current kubeconfig
///
/// Builds the operator and runs it with the permissions of your kubeconfig; installs no CRDs or
/// roles. While the operator runs, the API server calls its webhooks on this machine, if the API
/// server runs here or --reached-at specifies how to reach this machine. Prints the URL of a web
/// page that shows the operator's actions, as far as your permissions allow. Ctrl-C stops the
/// operator and removes the webhook configurations.
#[derive(Args, Debug)]
#[group(skip)]
#[command(after_help = "Examples:
  rustop run
  rustop run --takeover    # instead of the deployed operator
  rustop run -- --log-level=debug
  rustop run --reached-at host.docker.internal    # kind on Docker Desktop
  rustop run --reached-at 172.18.0.1              # kind on Linux: the gateway of the network `kind`
  rustop run --reached-at host.minikube.internal")]
pub struct Run {
    #[command(flatten)]
    pub operation: ops::Run,
}
