//! The view of the cluster that the checks of a simulation get.

use jiff::Timestamp;
use kube::Resource;
use serde::de::DeserializeOwned;

use crate::testing::{Cluster, resource};

/// The state of the API server at one moment, for the checks of a simulation.
#[derive(Clone)]
pub struct World {
    pub(super) cluster: Cluster,
}

impl World {
    /// Returns all objects of a kind, ordered by namespace and name. Objects that do not fit the type are left out.
    #[must_use]
    pub fn list<K: DeserializeOwned + Resource<DynamicType = ()>>(&self) -> Vec<K> {
        let objects = self.cluster.objects_of(&resource::<K>()).into_iter();
        objects
            .filter_map(|object| serde_json::from_value(object).ok())
            .collect()
    }

    /// Returns the number of objects of a kind.
    #[must_use]
    pub fn count<K: Resource<DynamicType = ()>>(&self) -> usize {
        self.cluster.objects_of(&resource::<K>()).len()
    }

    /// Returns true if all objects of a kind have a property.
    #[must_use]
    pub fn all<K: DeserializeOwned + Resource<DynamicType = ()>>(
        &self,
        is_so: impl Fn(&K) -> bool,
    ) -> bool {
        self.list::<K>().iter().all(is_so)
    }

    /// Returns the virtual time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.cluster.now()
    }
}
