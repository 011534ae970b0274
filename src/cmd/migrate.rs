//! `rustop migrate`.

use clap::Args;

use super::format::Format;
use crate::ops;

/// Rewrite stored objects in the storage version of their kind, so that older versions can be
/// removed
///
/// `status.storedVersions` of a CRD lists every version in which objects were ever stored, and the
/// API server never removes an entry. This command rewrites each object without changing it, and
/// then reduces the list to the storage version. It uses the API server's storage version migration
/// if available, otherwise it writes the objects one by one. You can interrupt it and run it again
/// at any time.
///
/// The operator must be running, since it converts the objects. Objects that it cannot convert are
/// listed at the end, each with the command that opens the object in a version in which you can fix
/// it.
#[derive(Args, Debug)]
#[group(skip)]
#[command(after_help = "Examples:
  rustop migrate --dry-run                                # show what would be migrated
  rustop migrate                                          # all kinds, in the current cluster
  rustop migrate --kind Lolcow --kubeconfig production    # one kind, in another cluster")]
pub struct Migrate {
    #[command(flatten)]
    pub format: Format,
    #[command(flatten)]
    pub operation: ops::Migrate,
}
