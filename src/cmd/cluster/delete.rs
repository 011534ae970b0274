//! `rustop cluster delete`.

use clap::Args;

use super::args::ClusterName;
use crate::ops::{self, Result};
use crate::session::Session;

/// Stop a cluster and remove its data
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop cluster delete
  rustop cluster delete --name other
  rustop cluster delete --stopped   # all clusters that are not running
  rustop cluster delete --unused    # clusters whose project was removed")]
pub struct Delete {
    #[command(flatten)]
    name: ClusterName,
    /// Delete all clusters that are not running
    #[arg(long, conflicts_with = "name")]
    stopped: bool,
    /// Delete all clusters whose project directory no longer exists
    #[arg(long, conflicts_with_all = ["name", "stopped"])]
    unused: bool,
}

impl Delete {
    pub fn run(self, session: &Session) -> Result<()> {
        if self.stopped {
            ops::cluster::delete_stopped(session)
        } else if self.unused {
            ops::cluster::delete_unused(session)
        } else {
            ops::cluster::delete(session, self.name.name)
        }
    }
}
