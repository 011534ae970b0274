//! `rustop create dashboard`.

use clap::Args;

use crate::ops::{self, Result};
use crate::session::Session;

/// Add Grafana dashboards, grafana/, and alerts for Prometheus, each with a page on what to do, docs/runbooks/
///
/// There is a dashboard of the operator and one of each kind with a controller; `rustop manifests` keeps them true, and
/// its --check sees when they are not. Import them into Grafana 10 or newer, or let its sidecar find them in a `ConfigMap`.
/// The alerts, config/prometheus/rules.yaml, and the pages are yours: thresholds and addresses are for you to say.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop create dashboard
  rustop create dashboard --dry-run
  kubectl create configmap lolcow-dashboards --from-file=grafana/ --from-file=grafana/controllers/")]
pub struct CreateDashboard {
    /// Say what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl CreateDashboard {
    pub fn run(self, session: &Session) -> Result<()> {
        let operation = ops::CreateDashboard {
            dry_run: self.dry_run,
        };
        operation.run(session)
    }
}
