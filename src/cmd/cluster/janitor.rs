//! `rustop cluster janitor`: rustop itself runs it, to clean up after an `exec` that is killed.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::cluster::clean_up_after;
use crate::error::Result;

/// Wait until nobody holds the cluster in DIR, and tear it down
#[derive(Args, Debug)]
#[command(hide = true)]
pub struct Janitor {
    dir: PathBuf,
}

impl Janitor {
    pub fn run(self) -> Result<ExitCode> {
        clean_up_after(&self.dir)?;
        Ok(ExitCode::SUCCESS)
    }
}
