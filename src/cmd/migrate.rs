//! `rustop migrate`.

use std::path::PathBuf;

use clap::Args;

use crate::names::{Group, Kind};
use crate::ops::{self, Result};
use crate::session::Session;

/// Write stored objects anew in the storage version of their kind, so that an older version can go
///
/// A CRD keeps in `status.storedVersions` every version that objects were ever stored in, and the API server
/// removes none of those from it. This has each object written, without a change to it, and then leaves
/// the storage version alone in that list: by the API server itself where it can do that, else one
/// by one. It may be interrupted and run again at any time. While it runs, the operator must, too: it converts. Objects that it cannot convert are named at the end, each with the
/// command that opens it in a version in which it can be mended.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop migrate --dry-run                                # what is to be done
  rustop migrate                                          # all kinds, by the kubeconfig
  rustop migrate --kind Lolcow --kubeconfig production    # one kind, in another cluster")]
pub struct Migrate {
    /// This kind only
    #[arg(long)]
    kind: Option<Kind>,
    /// Kinds of this group only, as it was given to create api
    #[arg(long)]
    group: Option<Group>,
    /// The cluster [default: that of KUBECONFIG or of ~/.kube/config]
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Say what would be done and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Migrate {
    pub fn run(self, session: &Session) -> Result<()> {
        let operation = ops::Migrate {
            kind: self.kind,
            group: self.group,
            kubeconfig: self.kubeconfig,
            dry_run: self.dry_run,
        };
        operation.run(session)
    }
}
