//! `rustop cluster tether`: an internal command that starts a process which ends with rustop.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::ops::{self, Result};

/// Execute another program, which is terminated when the parent process ends
#[derive(Args, Debug)]
#[command(hide = true)]
pub struct Tether {
    // The ID of the process that starts this one.
    parent: u32,
    program: PathBuf,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Tether {
    pub fn run(self) -> Result<()> {
        ops::cluster::tether(self.parent, &self.program, &self.arguments)
    }
}
