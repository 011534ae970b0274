//! The webhooks that a command is about.

use clap::Args;

/// At least one of them.
#[derive(Args, Debug)]
#[group(required = true, multiple = true)]
pub struct Webhooks {
    /// Webhook that sets default values in created and updated objects
    #[arg(long)]
    pub defaulting: bool,
    /// Webhook that rejects invalid objects
    #[arg(long, alias = "programmatic-validation")]
    pub validation: bool,
    /// Webhook that converts objects between the versions of the kind
    #[arg(long)]
    pub conversion: bool,
}
