//! The options of commands that add or remove an optional part of a project.

use clap::Args;

/// The options of such a command.
#[derive(Args, Debug)]
pub struct Switch {
    /// Print the changes without writing any file
    #[arg(long)]
    pub dry_run: bool,
}
