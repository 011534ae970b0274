//! Access to the contents of the caches, for tests that compare them with the API server.

use std::sync::Arc;

use serde_json::Value;

use crate::cache::informer::Informers;

/// The contents of a manager's caches, for tests. Returned by
/// [`Manager::inspector`](crate::Manager::inspector).
#[derive(Clone)]
pub struct Inspector(pub(crate) Arc<Informers>);

impl Inspector {
    /// Returns the current contents of all caches as an array with one entry per cache. An entry
    /// has the kind (`kind`), the request paths of its lists (`paths`), whether the cache is synced
    /// (`synced`), the shards that it holds (`share`, `null` without sharding), and its `objects`.
    ///
    /// Each object has `namespace`, `name`, `uid`, `resourceVersion`, and `deleting`, which is true
    /// if the object is being deleted (from the moment of the operator's own delete request).
    /// `noted` is true if the version that the cache has recorded for the object is this version;
    /// false shows an error of the cache. `object` is the object without `managedFields`; it is
    /// `null` if objects are stored decoded or trimmed.
    #[must_use]
    pub fn dump(&self) -> Value {
        self.0.dumps()
    }
}
