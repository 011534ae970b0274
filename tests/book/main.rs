//! The code of README and of the how-to pages in `docs/how-to`, which repeat it: compiled, and
//! tested on the in-memory API server.

#![allow(clippy::unwrap_used, reason = "a failed test panics")]
#![allow(clippy::large_futures, reason = "the controller boxes the futures")]
#![allow(
    missing_docs,
    reason = "the code of the book is as short as that of a user"
)]

mod app;
mod cluster_scoped;
mod external_api;
mod immutable_fields;
mod jobs;
mod kinds_at_run_time;
mod optional_kind;
mod ordered_children;
mod own_metrics;
mod password;
mod prune;
mod readme;
mod secret_by_name;
mod settings;
mod several_namespaces;
mod status;
mod two_kinds;
mod watched_kind;

use kube::Api;
use kube::api::PostParams;
use rustop_manager::testing::{Cluster, Operator};
use rustop_manager::{Controller, Manager, Options};

use app::App;

/// Starts an operator with one controller on a new in-memory API server.
fn start(controller: Controller<App>) -> (Cluster, Operator) {
    start_with(|manager| manager.controller(controller))
}

/// Starts an operator with the given setup on a new in-memory API server.
fn start_with(setup: impl FnOnce(Manager) -> Manager) -> (Cluster, Operator) {
    let cluster = Cluster::new().with([app::crd()]);
    let manager = Manager::new("app-operator", "0", Options::default());
    let operator = cluster.run(setup(manager));
    (cluster, operator)
}

/// Returns the API of a kind in the namespace `default`.
fn objects<K>(cluster: &Cluster) -> Api<K>
where
    K: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope>,
    K::DynamicType: Default,
{
    Api::default_namespaced(cluster.client())
}

/// Creates an object and waits until the operator has reacted.
async fn create<K>(cluster: &Cluster, object: K) -> K
where
    K: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope>
        + Clone
        + std::fmt::Debug
        + serde::Serialize
        + serde::de::DeserializeOwned,
    K::DynamicType: Default,
{
    let created = objects::<K>(cluster)
        .create(&PostParams::default(), &object)
        .await;
    cluster.settle().await;
    created.unwrap()
}
