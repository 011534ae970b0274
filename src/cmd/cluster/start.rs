//! `rustop cluster start`.

use std::process::ExitCode;

use clap::Args;

use super::{Name, Shape, owner};
use crate::cluster::{Cluster, Dirs, Interrupt, StartOptions, sweep};
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
        let given = self.name.name.is_some();
        let name = self.name.of(session)?;
        let options = StartOptions {
            project: owner(session, &name),
            name,
            sources: self.shape.sources(),
            nodes: self.shape.nodes,
            controllers: !self.shape.no_controllers,
            fresh: self.fresh,
            install: false,
        };
        let dirs = Dirs::from_env()?;
        sweep(&dirs, session.terminal);
        let cluster = Cluster::start(&dirs, &options, &Interrupt::install(), session.terminal)?;
        let log = cluster.audit_log();
        session
            .terminal
            .detail(format!("audit log: {}", log.display()));
        let name = if given {
            format!(" --name {}", cluster.name())
        } else {
            String::new()
        };
        session.terminal.note(format!(
            "\nTo use it:\n  export KUBECONFIG=$(rustop cluster kubeconfig{name})"
        ));
        Ok(ExitCode::SUCCESS)
    }
}
