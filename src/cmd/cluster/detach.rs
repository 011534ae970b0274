//! `rustop cluster detach`: rustop itself runs it, to start what outlives it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::cluster::become_detached;
use crate::error::Result;

/// Leave the session and become another program
#[derive(Args, Debug)]
#[command(hide = true)]
pub struct Detach {
    parent: u32,
    program: PathBuf,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Detach {
    pub fn run(self) -> Result<ExitCode> {
        Err(become_detached(self.parent, &self.program, &self.arguments).into())
    }
}
