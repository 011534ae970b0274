//! `rustop create bundle`.

use clap::Args;

use crate::ops::{self, Result};
use crate::session::Session;

/// Add an OLM bundle, bundle/: the operator as the Operator Lifecycle Manager takes it (registry+v1)
///
/// `rustop manifests` keeps bundle/manifests true to config/ and the types, and its --check sees when it is not. What is
/// said to people (description, icon, provider, links, replaces) is yours, in config/manifests/clusterserviceversion.yaml,
/// as are bundle/metadata and bundle.Dockerfile. The version is that of Cargo.toml.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop create bundle && rustop manifests
  docker build -f bundle.Dockerfile -t registry.example.com/lolcow-operator-bundle:v0.1.0 bundle")]
pub struct CreateBundle {
    /// Say what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl CreateBundle {
    pub fn run(self, session: &Session) -> Result<()> {
        let operation = ops::CreateBundle {
            dry_run: self.dry_run,
        };
        operation.run(session)
    }
}
