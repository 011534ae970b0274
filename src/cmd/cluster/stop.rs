//! `rustop cluster stop`.

use clap::Args;

use super::args::ClusterName;
use crate::ops::{self, Result};
use crate::session::Session;

/// Stop a cluster and keep its data for the next start
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop cluster stop
  rustop cluster stop --name other")]
pub struct Stop {
    #[command(flatten)]
    name: ClusterName,
}

impl Stop {
    pub fn run(self, session: &Session) -> Result<()> {
        ops::cluster::stop(session, self.name.name)
    }
}
