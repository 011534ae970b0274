//! `rustop create chart`.

use clap::Args;

use crate::names::ProjectName;
use crate::ops::{self, Result};
use crate::session::Session;

/// Add a Helm chart with the CRDs, roles, webhooks and Deployment of the operator in charts/NAME
///
/// `rustop manifests` updates the chart from config/, and `rustop manifests --check` fails if it is
/// out of date. Chart.yaml, values.yaml and files that you add to templates/ are never overwritten;
/// all others are generated. With default values the chart installs the same objects as
/// config/default, except for the Namespace: use helm install --create-namespace.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop create chart && rustop manifests
  rustop create chart --name lolcow
  helm install lolcow-operator charts/lolcow-operator \\
    --namespace lolcow-operator-system --create-namespace")]
pub struct CreateChart {
    /// Name of the chart [default: the project's name]
    #[arg(long)]
    name: Option<ProjectName>,
    /// Print the changes without writing any file
    #[arg(long)]
    dry_run: bool,
}

impl CreateChart {
    pub fn run(self, session: &Session) -> Result<()> {
        let operation = ops::CreateChart {
            name: self.name,
            dry_run: self.dry_run,
        };
        operation.run(session)
    }
}
