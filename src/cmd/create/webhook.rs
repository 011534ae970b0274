//! `rustop create webhook`.

use clap::Args;

use crate::cmd::webhooks::WebhookArgs;
use crate::names::{Group, Kind, Version};
use crate::ops::{self, Result};
use crate::session::Session;

/// Add defaulting, validating or conversion webhooks to a kind
///
/// The operator serves the webhooks and manages their certificate. A rule that CEL can express
/// needs no webhook: see the comments in the created files.
///
/// A conversion covers all versions of a kind. Defaulting and validation are implemented for one
/// version; the API server converts objects of all other versions to it before the call. To move
/// them to a newer version, add them there, move your code, and delete the old version.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop create webhook --kind Lolcow --defaulting
  rustop create webhook --kind Lolcow --validation                  # adds to existing webhooks
  rustop create webhook --kind Lolcow --conversion                  # once it has two versions
  rustop create webhook --kind Lolcow --version v1 --validation     # for the types of v1
  rustop create webhook --group core --version v1 --kind Pod --defaulting --validation")]
pub struct CreateWebhook {
    /// Kind, in `PascalCase`
    #[arg(long)]
    kind: Kind,
    /// Group of the kind, as passed to `rustop create api`, or a group of Kubernetes
    #[arg(long)]
    group: Option<Group>,
    /// Version of the kind [default: the first one created, or the version of a built-in kind]
    #[arg(long = "version", value_name = "VERSION")]
    api_version: Option<Version>,
    #[command(flatten)]
    webhooks: WebhookArgs,
    /// Print the changes without writing any file
    #[arg(long)]
    dry_run: bool,
}

impl CreateWebhook {
    pub fn run(self, session: &Session) -> Result<()> {
        let operation = ops::CreateWebhook {
            kind: ops::KindName {
                kind: self.kind,
                group: self.group,
                version: self.api_version,
            },
            defaulting: self.webhooks.defaulting,
            validation: self.webhooks.validation,
            conversion: self.webhooks.conversion,
            dry_run: self.dry_run,
        };
        operation.run(session)
    }
}
