//! `rustop cluster status`.

use clap::{Args, ValueEnum};

use crate::ops::{self, Result};
use crate::session::Session;

/// List clusters and show whether they are running
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop cluster status
  rustop cluster status --all
  rustop cluster status --name other --output json")]
pub struct Status {
    /// Show only this cluster [default: the project's cluster inside a project, otherwise all]
    #[arg(long)]
    name: Option<String>,
    /// Show all clusters, also inside a project
    #[arg(long, conflicts_with = "name")]
    all: bool,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = Output::Table)]
    output: Output,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Output {
    /// Table for people
    Table,
    /// JSON list with all details, for programs
    Json,
}

impl Status {
    pub fn run(self, session: &Session) -> Result<()> {
        let json = matches!(self.output, Output::Json);
        ops::cluster::status(session, self.name.as_deref(), self.all, json)
    }
}
