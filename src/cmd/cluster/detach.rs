//! `rustop cluster detach`: an internal command that starts a process which outlives rustop.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::ops::{self, Result};

/// Start a new session and execute another program
#[derive(Args, Debug)]
#[command(hide = true)]
pub struct Detach {
    // The ID of the process that starts this one.
    parent: u32,
    program: PathBuf,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Detach {
    pub fn run(self) -> Result<()> {
        ops::cluster::detach(self.parent, &self.program, &self.arguments)
    }
}
