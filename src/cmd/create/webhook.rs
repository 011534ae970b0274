//! `rustop create webhook`.

use clap::Args;

use crate::cmd::webhooks::Webhooks;
use crate::names::{Group, Kind, Version};
use crate::ops::{self, Result};
use crate::session::Session;

/// Add webhooks to a kind: what completes, refuses or converts its objects
///
/// The operator serves them, and cares for their certificate by itself. A rule that CEL can express needs
/// no webhook: see the comments in the files that are created.
///
/// A conversion is for all versions of a kind. Defaulting and validation are written for one version, and
/// asked about objects of all of them, each converted to that one: one version needs them. To take them to
/// a newer version, add them there, move over what is to stay, and delete the old version.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop create webhook --kind Lolcow --defaulting
  rustop create webhook --kind Lolcow --validation                  # later: adds to the first
  rustop create webhook --kind Lolcow --conversion                  # once it has two versions
  rustop create webhook --kind Lolcow --version v1 --validation     # in the types of v1
  rustop create webhook --group core --version v1 --kind Pod --defaulting --validation")]
pub struct CreateWebhook {
    /// The kind, in `PascalCase`
    #[arg(long)]
    kind: Kind,
    /// Its group, as it was given to create api, or a group of Kubernetes
    #[arg(long)]
    group: Option<Group>,
    /// Its version [default: the one created first, or that of a built-in kind]
    #[arg(long = "version", value_name = "VERSION")]
    api_version: Option<Version>,
    #[command(flatten)]
    webhooks: Webhooks,
    /// Say what would be written and write nothing
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
