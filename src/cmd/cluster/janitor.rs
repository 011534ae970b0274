//! `rustop cluster janitor`: an internal command that cleans up after a killed command.

use std::path::PathBuf;

use clap::Args;

use crate::ops::{self, Result};
use crate::session::Session;

/// Wait until no process uses a cluster, and stop its remaining processes
#[derive(Args, Debug)]
#[command(hide = true)]
pub struct Janitor {
    /// The directory of the cluster of an `exec`, or the name of a project's
    cluster: PathBuf,
    /// The ID of the rustop process that uses the project's cluster
    pid: Option<u32>,
}

impl Janitor {
    pub fn run(self, session: &Session) -> Result<()> {
        ops::cluster::clean_up_after(session, &self.cluster, self.pid)
    }
}
