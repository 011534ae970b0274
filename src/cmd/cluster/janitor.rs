//! `rustop cluster janitor`: rustop itself runs it, to clean up after a command that is killed.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::cluster::{Dirs, clean_up_after, clean_up_after_dev};
use crate::cmd::Session;
use crate::error::Result;

/// Wait until nobody holds a cluster, and end what is left of it
#[derive(Args, Debug)]
#[command(hide = true)]
pub struct Janitor {
    #[command(subcommand)]
    whose: Whose,
}

#[derive(Debug, Subcommand)]
enum Whose {
    /// The cluster of an `exec`, in DIR
    #[command(hide = true)]
    Exec { dir: PathBuf },
    /// The project's cluster that the `rustop dev` with the number PID runs on
    #[command(hide = true)]
    Dev { cluster: String, pid: u32 },
}

impl Janitor {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        match self.whose {
            Whose::Exec { dir } => clean_up_after(&dir)?,
            Whose::Dev { cluster, pid } => {
                clean_up_after_dev(&Dirs::from_env()?, &cluster, pid, session.terminal)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
