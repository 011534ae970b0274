//! The changes that a cache reports.

use std::sync::Arc;

/// The namespace of a watch. `None` for a cluster-wide watch.
pub(crate) type WatchScope = Option<String>;

/// A change of an object after the cache was synced.
#[derive(Clone, Debug)]
pub(crate) enum Change<K> {
    /// The object was added or changed. `before` is its cached state before; `None` if it is new,
    /// or if the API server was restored from a backup.
    Applied { before: Option<Arc<K>>, now: Arc<K> },
    /// The object, in its last state, is no longer in the cache: it was deleted, the selector no
    /// longer matches it, or it moved to another replica.
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
