//! `rustop schema`.

use std::process::ExitCode;

use clap::Args;

use super::Session;
use crate::error::Result;
use crate::project;

/// Print the JSON schema of the PROJECT file
#[derive(Args, Debug)]
#[command(after_help = "Example:
  rustop schema > project.schema.json")]
pub struct Schema {}

impl Schema {
    #[expect(clippy::unused_self, reason = "as every command")]
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        session.terminal.data(&project::json_schema())?;
        Ok(ExitCode::SUCCESS)
    }
}
