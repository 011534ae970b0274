//! `rustop cluster kubeconfig`.

use clap::Args;

use super::args::ClusterName;
use crate::ops::{self, Result};
use crate::session::Session;

/// Print the path of a running cluster's kubeconfig; ~/.kube/config is never changed
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  export KUBECONFIG=$(rustop cluster kubeconfig)
  rustop cluster kubeconfig --print > kubeconfig.yaml")]
pub struct Kubeconfig {
    #[command(flatten)]
    name: ClusterName,
    /// Print the contents of the kubeconfig instead of its path
    #[arg(long)]
    print: bool,
}

impl Kubeconfig {
    pub fn run(self, session: &Session) -> Result<()> {
        ops::cluster::kubeconfig(session, self.name.name, self.print)
    }
}
