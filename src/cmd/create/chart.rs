//! `rustop create chart`.

use clap::Args;

use crate::names::ProjectName;
use crate::ops::{self, Result};
use crate::session::Session;

/// Add a Helm chart, charts/NAME: CRDs, roles, webhooks and the operator, with values for what differs between clusters
///
/// `rustop manifests` keeps it true to config/, and its --check sees when it is not. Chart.yaml, values.yaml and what
/// you add to templates/ are yours; the other files are rendered anew. With its default values the chart is what
/// config/default is, but for the Namespace: helm install --create-namespace makes that.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop create chart && rustop manifests
  rustop create chart --name lolcow
  helm install lolcow-operator charts/lolcow-operator \\
    --namespace lolcow-operator-system --create-namespace")]
pub struct CreateChart {
    /// The chart's name [default: that of the project]
    #[arg(long)]
    name: Option<ProjectName>,
    /// Say what would be written and write nothing
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
