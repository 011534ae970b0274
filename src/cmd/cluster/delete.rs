//! `rustop cluster delete`.

use std::process::ExitCode;

use clap::Args;

use super::Name;
use crate::cluster::{Cluster, Dirs, Error, Status};
use crate::cmd::Session;
use crate::error::Result;

/// Stop a cluster and remove its data
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop cluster delete
  rustop cluster delete --name other
  rustop cluster delete --stopped   # all that do not run")]
pub struct Delete {
    #[command(flatten)]
    name: Name,
    /// All clusters that do not run
    #[arg(long, conflicts_with = "name")]
    stopped: bool,
}

impl Delete {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let dirs = Dirs::from_env()?;
        let names = if self.stopped {
            let all = Status::read(&dirs, None)?.into_iter();
            all.filter(|cluster| !cluster.in_part())
                .map(|cluster| cluster.name)
                .collect()
        } else {
            vec![self.name.of(session)?]
        };
        for name in names {
            match Cluster::delete(&dirs, &name) {
                // It is about to run.
                Err(Error::Held { .. }) if self.stopped => continue,
                Ok(false) => return Err(Error::NoCluster { name }.into()),
                deleted => deleted?,
            };
            session
                .terminal
                .status("Deleted", format!("cluster `{name}` and its data"));
        }
        Ok(ExitCode::SUCCESS)
    }
}
