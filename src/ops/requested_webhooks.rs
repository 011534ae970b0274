//! The options that select webhooks.

use clap::Args;

use crate::resource::Admission;

/// The webhooks to create or delete; at least one is required.
#[derive(Args, Debug)]
#[group(required = true, multiple = true)]
pub struct RequestedWebhooks {
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

impl RequestedWebhooks {
    /// Returns the requested admission webhooks.
    pub fn admissions(&self) -> impl Iterator<Item = Admission> {
        let requested = [self.defaulting, self.validation];
        let all = Admission::ALL.into_iter().zip(requested);
        all.filter_map(|(one, is_requested)| is_requested.then_some(one))
    }
}
