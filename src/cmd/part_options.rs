//! The options of `rustop create PART` and `rustop delete PART`.

use clap::Args;

/// The options of such a command.
#[derive(Args, Debug)]
pub struct PartOptions {
    /// Print the changes without writing any file
    #[arg(long)]
    pub dry_run: bool,
}
