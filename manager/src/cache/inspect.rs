//! What the caches hold, for tests that compare it with what the API server has.

use std::sync::Arc;

use serde_json::Value;

use crate::cache::informer::Informers;

/// Looks into the caches of a manager, see [`Manager::inspector`](crate::Manager::inspector).
#[derive(Clone)]
pub struct Inspector(pub(crate) Arc<Informers>);

impl Inspector {
    /// For each kind that some controller watches its name (`kind`), the paths at which its objects are listed
    /// (`paths`), whether it is complete (`synced`), and its `objects`.
    ///
    /// Of each object there are `namespace`, `name`, `uid`, `resourceVersion`, whether it counts as one that is
    /// being deleted (`deleting`), and, unless it is kept decoded or trimmed, the `object` without its `managedFields`.
    #[must_use]
    pub fn dump(&self) -> Value {
        self.0.dumps()
    }
}
