//! The options that select webhooks.

use clap::Args;

/// The selected webhooks; at least one is required.
#[derive(Args, Debug)]
#[group(required = true, multiple = true)]
pub struct WebhookArgs {
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
