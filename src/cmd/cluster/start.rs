//! `rustop cluster start`.

use clap::Args;

use super::args::{ClusterArgs, ClusterName};
use crate::cluster::StartOptions;
use crate::ops::{self, Result};
use crate::session::Session;

/// Start a cluster in the background and wait until it is ready
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop cluster start
  rustop cluster start --name other --nodes 3
  rustop cluster start --fresh      # discard the data of the last run
  rustop cluster start --no-controllers")]
pub struct Start {
    #[command(flatten)]
    name: ClusterName,
    #[command(flatten)]
    shape: ClusterArgs,
    /// Discard the data of earlier runs
    #[arg(long)]
    fresh: bool,
}

impl Start {
    pub fn run(self, session: &Session) -> Result<()> {
        let options = StartOptions {
            fresh: self.fresh,
            ..self.shape.options()
        };
        ops::cluster::start(session, self.name.name, options)
    }
}
