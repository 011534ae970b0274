//! The view of the cluster that the checks of a simulation get.

use jiff::Timestamp;
use kube::Resource;
use serde::de::DeserializeOwned;

use crate::testing::{Cluster, resource};

/// The live state of the API server, for the checks of a simulation. A clone is not a snapshot: it
/// also shows later changes.
#[derive(Clone)]
pub struct World {
    pub(super) cluster: Cluster,
}

impl World {
    /// Returns all objects of a kind in all namespaces as they are stored, ordered by namespace and
    /// name. Leaves out objects that cannot be deserialized as `K`; with a conversion webhook, use
    /// the type of the storage version.
    #[must_use]
    pub fn list<K: DeserializeOwned + Resource<DynamicType = ()>>(&self) -> Vec<K> {
        let objects = self.cluster.objects_of(&resource::<K>()).into_iter();
        objects
            .filter_map(|object| serde_json::from_value(object).ok())
            .collect()
    }

    /// Returns the number of objects of a kind in all namespaces, also of those that
    /// [`World::list`] leaves out.
    #[must_use]
    pub fn count<K: Resource<DynamicType = ()>>(&self) -> usize {
        self.cluster.objects_of(&resource::<K>()).len()
    }

    /// Returns true if `is_so` is true for each object of [`World::list`], also if there is no
    /// object.
    #[must_use]
    pub fn all<K: DeserializeOwned + Resource<DynamicType = ()>>(
        &self,
        is_so: impl Fn(&K) -> bool,
    ) -> bool {
        self.list::<K>().iter().all(is_so)
    }

    /// Returns the virtual time, which starts at 2030-01-01T00:00:00Z.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.cluster.now()
    }
}
