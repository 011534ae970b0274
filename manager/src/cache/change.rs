//! The changes that a cache reports.

use std::sync::Arc;

/// The namespace of a watch. `None` for a cluster-wide watch.
pub(crate) type WatchScope = Option<String>;

/// A change of an object after the cache was synced.
#[derive(Clone, Debug)]
pub(crate) enum Change<K> {
    Applied { before: Option<Arc<K>>, now: Arc<K> },
    Removed(Arc<K>),
}

impl<K> Change<K> {
    /// Returns the current state of the object, or its last state if it was removed.
    pub fn object(&self) -> &Arc<K> {
        match self {
            Self::Applied { now, .. } | Self::Removed(now) => now,
        }
    }
}
