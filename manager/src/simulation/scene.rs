//! The operator and its world, which all histories of a simulation share.

use std::sync::Arc;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

use crate::manager::Manager;
use crate::simulation::actors::Actor;
use crate::simulation::cluster_view::World;
use crate::testing::Permissions;

/// The second namespace, in which a history with twins also creates the samples.
pub(super) const TWIN: &str = "twin";
/// The seed of the first history without faults.
pub(super) const BASELINE_SEED: u64 = 1;

/// A check of the user. It returns true if it holds.
pub(super) type Check = Arc<dyn Fn(&World) -> bool + Send + Sync>;

/// The operator and its world, which the histories share.
pub(super) struct Scene {
    /// Adds the controllers and webhooks of the operator to a manager.
    pub register: Arc<dyn Fn(Manager) -> Manager + Send + Sync>,
    pub crds: Vec<CustomResourceDefinition>,
    /// The webhook configurations.
    pub webhooks: Vec<Value>,
    /// The objects that the user creates.
    pub samples: Vec<Value>,
    /// The objects to edit, each with a merge patch.
    pub edits: Vec<(Value, Value)>,
    pub actors: Vec<Arc<dyn Actor>>,
    /// The permissions of the operator; `None` if it may do everything.
    pub permissions: Option<Arc<Permissions>>,
    /// The number of processes of the operator. If there are several, they elect a leader.
    pub replicas: usize,
    /// The number of shards, which the replicas divide; `None` if a leader has all objects.
    pub shards: Option<u32>,
    /// The checks after each change, with their names.
    pub always: Vec<(String, Check)>,
    /// The checks after each step, with their names.
    pub eventually: Vec<(String, Check)>,
}

impl Scene {
    /// Returns true if the replicas need a Lease to write.
    pub fn elects(&self) -> bool {
        self.replicas > 1 || self.shards.is_some()
    }

    /// Returns the sample that an edit changes, with its namespace; the object of the edit if
    /// that sample does not exist.
    pub fn edited<'a>(&'a self, object: &'a Value) -> &'a Value {
        let identity = |value: &Value| {
            ["/apiVersion", "/kind", "/metadata/name"].map(|field| value.pointer(field).cloned())
        };
        let mut samples = self.samples.iter();
        let sample = samples.find(|sample| identity(sample) == identity(object));
        sample.unwrap_or(object)
    }

    /// Returns the namespace of the samples: that of the first one.
    pub fn sample_namespace(&self) -> &str {
        self.samples.first().map_or("default", namespace_of)
    }
}

/// Returns the namespace in which an object is created, if its kind has namespaces.
pub(super) fn namespace_of(sample: &Value) -> &str {
    sample["metadata"]["namespace"]
        .as_str()
        .unwrap_or("default")
}
