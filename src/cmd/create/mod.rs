//! `rustop create`.

mod api;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::Session;
use crate::error::Result;

/// Add an API to the project
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop create api --kind Lolcow
  rustop create api --group batch --version v1 --kind CronJob")]
pub struct Create {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Api(api::CreateApi),
}

impl Create {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        match self.what {
            What::Api(args) => args.run(session),
        }
    }
}
