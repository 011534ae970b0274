//! What watches tell, and of which part of a kind.

use std::sync::Arc;

/// The namespace of a watch, or `None` for all that there is.
pub(crate) type Scope = Option<String>;

/// Something happened to an object after the first lists were complete.
#[derive(Clone, Debug)]
pub(crate) enum Change<K> {
    Applied { before: Option<Arc<K>>, now: Arc<K> },
    Removed(Arc<K>),
}

impl<K> Change<K> {
    /// The object, as it is or as it was last.
    pub fn object(&self) -> &Arc<K> {
        match self {
            Self::Applied { now, .. } | Self::Removed(now) => now,
        }
    }
}
