//! `rustop cluster status`.

use clap::{Args, ValueEnum};

use crate::ops::{self, Result};
use crate::session::Session;

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
    pub fn run(self, session: &Session) -> Result<()> {
        let json = matches!(self.output, Output::Json);
        ops::cluster::status(session, self.name.as_deref(), self.all, json)
    }
}
