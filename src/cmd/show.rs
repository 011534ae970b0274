//! `rustop show`.

use std::path::PathBuf;

use clap::Args;

use crate::ops::{self, Result};
use crate::session::Session;

/// Show a recording of `rustop dev --record` in the browser, without a cluster
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop dev --record run.jsonl
  rustop show run.jsonl --open")]
pub struct Show {
    /// Recording to show; the page follows a file that is still being written
    file: PathBuf,
    /// Open the web page in a browser
    #[arg(long)]
    open: bool,
}

impl Show {
    pub fn run(self, session: &Session) -> Result<()> {
        ops::show(session, &self.file, self.open)
    }
}
