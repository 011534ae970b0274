//! Where a report of an object comes from, and whether it is news.

use kube::core::ObjectMeta;

use crate::cache::change::Scope;
use crate::cache::entries::Record;
use crate::cache::listing::Snapshot;
use crate::object;

/// Where a report of an object comes from.
#[derive(Clone, Copy)]
pub(crate) enum Origin<'a> {
    List(Snapshot),
    Watch(&'a Scope),
}

impl Origin<'_> {
    /// True when what is known may be of another past, whatever its version.
    pub fn is_restored(&self) -> bool {
        matches!(self, Self::List(snapshot) if snapshot.restored)
    }

    /// True when the state that is reported is older than what is known.
    pub fn is_older(&self, meta: &ObjectMeta, known: &Record) -> bool {
        let version = object::version(meta);
        match self {
            Self::Watch(_) => version != 0 && known.version > version,
            Self::List(snapshot) => snapshot.is_outlived_by(known),
        }
    }
}
