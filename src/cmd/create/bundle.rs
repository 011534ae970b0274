//! `rustop create bundle`.

use clap::Args;

use crate::ops::{self, Result};
use crate::session::Session;

/// Add a bundle for the Operator Lifecycle Manager (registry+v1) in bundle/
///
/// `rustop manifests` updates bundle/manifests from config/ and the types, and `rustop manifests
/// --check` fails if it is out of date. Edit the description, icon, provider, links and `replaces`
/// in config/manifests/clusterserviceversion.yaml. bundle/metadata and bundle.Dockerfile can be
/// edited, too. The version comes from Cargo.toml.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop create bundle && rustop manifests
  docker build -f bundle.Dockerfile -t registry.example.com/lolcow-operator-bundle:v0.1.0 bundle")]
pub struct CreateBundle {
    /// Print the changes without writing any file
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
