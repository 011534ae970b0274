//! What a command takes that adds or takes away a part of the project as a whole.

use clap::Args;

/// Of what is there or is not.
#[derive(Args, Debug)]
pub struct Switch {
    /// Print the changes without writing any file
    #[arg(long)]
    pub dry_run: bool,
}
