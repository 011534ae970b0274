//! `rustop cluster start`.

use std::process::ExitCode;

use clap::Args;

use super::{Name, Shape};
use crate::cluster::{Cluster, DEFAULT_NAME, Dirs, Interrupt, StartOptions};
use crate::cmd::Session;
use crate::error::Result;

/// Start a cluster in the background, and return when it is ready
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop cluster start
  rustop cluster start --name other --nodes 3
  rustop cluster start --fresh      # without the data of the last time
  rustop cluster start --no-controllers")]
pub struct Start {
    #[command(flatten)]
    name: Name,
    #[command(flatten)]
    shape: Shape,
    /// Throw away the data of an earlier start
    #[arg(long)]
    fresh: bool,
}

impl Start {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let options = StartOptions {
            name: self.name.name,
            sources: self.shape.sources(),
            nodes: self.shape.nodes,
            controllers: !self.shape.no_controllers,
            fresh: self.fresh,
            install: false,
        };
        let dirs = Dirs::from_env()?;
        let cluster = Cluster::start(&dirs, &options, &Interrupt::install(), session.terminal)?;
        let log = cluster.audit_log();
        session
            .terminal
            .detail(format!("audit log: {}", log.display()));
        let name = match cluster.name() {
            DEFAULT_NAME => String::new(),
            name => format!(" --name {name}"),
        };
        session.terminal.note(format!(
            "\nTo use it:\n  export KUBECONFIG=$(rustop cluster kubeconfig{name})"
        ));
        Ok(ExitCode::SUCCESS)
    }
}
