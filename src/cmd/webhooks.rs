//! The webhooks that a command is about.

use clap::Args;

/// At least one of them.
#[derive(Args, Debug)]
#[group(required = true, multiple = true)]
pub struct Webhooks {
    /// What completes new and changed objects
    #[arg(long)]
    pub defaulting: bool,
    /// What refuses objects that break a rule
    #[arg(long, alias = "programmatic-validation")]
    pub validation: bool,
    /// What converts objects between the versions of the kind
    #[arg(long)]
    pub conversion: bool,
}
