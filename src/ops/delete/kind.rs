//! The options that the commands share which remove something of a kind.

use clap::Args;

use crate::names::{Group, Kind};

/// The kind of which something is removed.
#[derive(Args, Debug)]
pub struct DeletedKind {
    /// Kind, in `PascalCase`
    #[arg(long)]
    pub kind: Kind,
    /// Group of the kind, as passed to `rustop create`
    #[arg(long)]
    pub group: Option<Group>,
    /// Print the changes without writing any file
    #[arg(long)]
    pub dry_run: bool,
}
