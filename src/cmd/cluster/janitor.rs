//! `rustop cluster janitor`: rustop itself runs it, to clean up after a command that is killed.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::cluster::{Dirs, clean_up_after, clean_up_after_dev};
use crate::cmd::Session;
use crate::error::Result;

/// Wait until nobody holds a cluster, and end what is left of it
#[derive(Args, Debug)]
#[command(hide = true)]
pub struct Janitor {
    /// The directory of the cluster of an `exec`, or the name of a project's
    cluster: PathBuf,
    /// The process of the `rustop dev` that works on the project
    pid: Option<u32>,
}

impl Janitor {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        match self.pid {
            None => clean_up_after(&self.cluster)?,
            Some(pid) => {
                let cluster = self.cluster.to_string_lossy();
                clean_up_after_dev(&Dirs::from_env()?, &cluster, pid, session.terminal)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
