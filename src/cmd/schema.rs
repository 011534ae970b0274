//! `rustop schema`.

use clap::Args;

use crate::ops::{self, Result};
use crate::session::Session;

/// Print the JSON schema of the PROJECT file
#[derive(Args, Debug)]
#[command(after_help = "Example:
  rustop schema > project.schema.json")]
pub struct Schema {}

impl Schema {
    #[expect(clippy::unused_self, reason = "as every command")]
    pub fn run(self, session: &Session) -> Result<()> {
        ops::schema(session)
    }
}
