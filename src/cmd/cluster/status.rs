//! `rustop cluster status`.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::cluster::{Dirs, Status as ClusterStatus};
use crate::cmd::Session;
use crate::error::Result;
use crate::terminal::table;

/// Show which clusters there are and whether they run
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop cluster status
  rustop cluster status --name other --output json")]
pub struct Status {
    /// Only the cluster of this name
    #[arg(long)]
    name: Option<String>,
    /// How to print it
    #[arg(short, long, value_enum, default_value_t = Output::Table)]
    output: Output,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Output {
    /// For people
    Table,
    /// For programs: a list of all there is to know
    Json,
}

impl Status {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let clusters = ClusterStatus::read(&Dirs::from_env()?, self.name.as_deref())?;
        let text = match self.output {
            Output::Json => serde_json::to_string_pretty(&clusters).unwrap_or_default() + "\n",
            Output::Table if clusters.is_empty() => {
                session
                    .terminal
                    .note("There are no clusters: `rustop cluster start` starts one.");
                String::new()
            }
            Output::Table => table(
                &["NAME", "STATUS", "VERSION", "NODES", "SERVER"],
                clusters.iter().map(row),
            ),
        };
        session.terminal.data(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}

fn row(cluster: &ClusterStatus) -> Vec<String> {
    let running = cluster.running.then_some(());
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    vec![
        cluster.name.clone(),
        cluster.summary(),
        or_dash(cluster.version.clone()),
        or_dash(running.map(|()| cluster.nodes.to_string())),
        or_dash(running.and(cluster.server.clone())),
    ]
}
