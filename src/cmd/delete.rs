//! `rustop delete`.

use clap::{Args, Subcommand};

use crate::names::{Group, Kind, Version};
use crate::ops::{self, Result};
use crate::session::Session;

/// Take an API out of the project
#[derive(Args, Debug)]
#[command(after_help = "Example:
  rustop delete api --kind Lolcow --version v1alpha1")]
pub struct Delete {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Api(DeleteApi),
}

/// Take a version of a kind out of the project
///
/// The controller and the webhooks of the kind go to the newest version that is left. Your own files are not
/// touched: it says which of them are to be removed, and which still name the version. As long as a cluster
/// has objects that are stored in it, its API server refuses a CRD without the version: see rustop migrate.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop delete api --kind Lolcow --version v1alpha1
  rustop delete api --group batch --kind CronJob --version v1beta1 --dry-run")]
struct DeleteApi {
    /// The kind, in `PascalCase`
    #[arg(long)]
    kind: Kind,
    /// Its group, as it was given to create api
    #[arg(long)]
    group: Option<Group>,
    /// The version that goes
    #[arg(long = "version", value_name = "VERSION")]
    api_version: Version,
    /// Say what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Delete {
    pub fn run(self, session: &Session) -> Result<()> {
        match self.what {
            What::Api(args) => args.run(session),
        }
    }
}

impl DeleteApi {
    fn run(self, session: &Session) -> Result<()> {
        let operation = ops::DeleteApi {
            kind: self.kind,
            group: self.group,
            version: self.api_version,
            dry_run: self.dry_run,
        };
        operation.run(session)
    }
}
