//! `rustop cluster stop`.

use std::process::ExitCode;

use clap::Args;

use super::Name;
use crate::cluster::{Cluster, Dirs};
use crate::cmd::Session;
use crate::error::Result;

/// Stop a cluster; its data stays for the next start
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop cluster stop
  rustop cluster stop --name other")]
pub struct Stop {
    #[command(flatten)]
    name: Name,
}

impl Stop {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let name = self.name.of(session)?;
        if Cluster::stop(&Dirs::from_env()?, &name)? {
            session
                .terminal
                .status("Stopped", format!("cluster `{name}`"));
        } else {
            session
                .terminal
                .status("Stopped", format!("cluster `{name}` already"));
        }
        Ok(ExitCode::SUCCESS)
    }
}
