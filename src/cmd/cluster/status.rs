//! `rustop cluster status`.

use std::path::Path;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::of_project;
use crate::cluster::{Dirs, Status as ClusterStatus};
use crate::cmd::Session;
use crate::error::Result;
use crate::project;
use crate::terminal::table;

/// Show which clusters there are and whether they run
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop cluster status
  rustop cluster status --all
  rustop cluster status --name other --output json")]
pub struct Status {
    /// Only the cluster of this name [default: the project's in a project, else all]
    #[arg(long)]
    name: Option<String>,
    /// All clusters, and which project each belongs to
    #[arg(long, conflicts_with = "name")]
    all: bool,
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
        let clusters = self.clusters(session)?;
        let text = match self.output {
            Output::Json => serde_json::to_string_pretty(&clusters).unwrap_or_default() + "\n",
            Output::Table if clusters.is_empty() => {
                session
                    .terminal
                    .note("There is no cluster: `rustop cluster start` starts one.");
                String::new()
            }
            Output::Table => table(
                &[
                    "NAME", "STATUS", "VERSION", "NODES", "SIZE", "SERVER", "PROJECT",
                ],
                clusters.iter().map(row),
            ),
        };
        session.terminal.data(&text)?;
        Ok(ExitCode::SUCCESS)
    }

    fn clusters(&self, session: &Session) -> Result<Vec<ClusterStatus>> {
        let dirs = Dirs::from_env()?;
        let own = if self.name.is_some() || self.all {
            None
        } else {
            of_project(session)?
        };
        let mut clusters = ClusterStatus::read(&dirs, self.name.as_deref().or(own.as_deref()))?;
        // One that was named is shown in any case.
        clusters.retain(|cluster| own.is_none() || cluster.exists());
        Ok(clusters)
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
        format!("{} MiB", cluster.size / (1024 * 1024)),
        or_dash(running.and(cluster.server.clone())),
        or_dash(cluster.project.as_deref().map(place)),
    ]
}

/// A project's directory, which may be gone or moved.
fn place(dir: &Path) -> String {
    let gone = if project::is_at(dir) { "" } else { " (gone)" };
    format!("{}{gone}", dir.display())
}
