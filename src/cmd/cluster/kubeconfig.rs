//! `rustop cluster kubeconfig`.

use std::fs;
use std::process::ExitCode;

use clap::Args;

use super::Name;
use crate::cluster::{Cluster, Dirs};
use crate::cmd::Session;
use crate::error::{Error, Result};

/// Print the path of a running cluster's kubeconfig; your own is never touched
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  export KUBECONFIG=$(rustop cluster kubeconfig)
  rustop cluster kubeconfig --print > kubeconfig.yaml")]
pub struct Kubeconfig {
    #[command(flatten)]
    name: Name,
    /// Print what is in it instead of its path
    #[arg(long)]
    print: bool,
}

impl Kubeconfig {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let path = Cluster::open(&Dirs::from_env()?, &self.name.of(session)?)?.kubeconfig();
        let text = if self.print {
            fs::read_to_string(&path).map_err(Error::io("read", path))?
        } else {
            format!("{}\n", path.display())
        };
        session.terminal.data(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}
