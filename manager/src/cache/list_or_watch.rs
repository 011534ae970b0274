//! The origin of a reported object, a list or a watch, which decides whether the report is newer
//! than the cached state.

use kube::core::ObjectMeta;

use crate::cache::change::WatchScope;
use crate::cache::entries::Record;
use crate::cache::listing::Snapshot;
use crate::object;

/// The request that reported an object.
#[derive(Clone, Copy)]
pub(crate) enum ListOrWatch<'a> {
    /// A list, or a read of a single object.
    List(Snapshot),
    /// The watch of this scope.
    Watch(&'a WatchScope),
}

impl ListOrWatch<'_> {
    /// Returns true for the first list after the API server was restored from a backup: then the
    /// cached state may be wrong whatever its version.
    pub fn is_restored(&self) -> bool {
        matches!(self, Self::List(snapshot) if snapshot.restored)
    }

    /// Returns true if the reported state, whose metadata is `meta`, is older than the cached one.
    pub fn is_older(&self, meta: &ObjectMeta, known: &Record) -> bool {
        let version = object::version(meta);
        match self {
            Self::Watch(_) => version != 0 && known.version > version,
            Self::List(snapshot) => snapshot.is_outlived_by(known),
        }
    }
}
