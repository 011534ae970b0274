//! `rustop schema`.

use clap::Args;

use crate::ops::{self, Result};
use crate::session::Session;

/// Print the JSON schema of the PROJECT file
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop schema > project.schema.json
  rustop schema --adopted > rustop.schema.json")]
pub struct Schema {
    /// Print the schema of rustop.yaml, the file of an adopted operator
    #[arg(long)]
    adopted: bool,
}

impl Schema {
    pub fn run(self, session: &Session) -> Result<()> {
        if self.adopted {
            return ops::adopted_schema(session);
        }
        ops::schema(session)
    }
}
