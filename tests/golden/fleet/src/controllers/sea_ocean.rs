//! Moves the cluster towards what each Ocean asks for.

use api::sea::v1::ocean::Ocean;
use manager::{Conditions as _, condition};

// What the operator may do. `make manifests` turns these lines into config/rbac/role.yaml.
//
// +kubebuilder:rbac:groups=sea.example.com,resources=oceans,verbs=get;list;watch
// +kubebuilder:rbac:groups=sea.example.com,resources=oceans/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// What is watched, and how many objects are worked on at once.
///
/// Every kind that `reconcile` creates belongs here as `.owns::<Deployment>()`: a change of a child
/// then leads back to its owner. It needs a marker above too, with
/// `verbs=get;list;watch;create;patch`.
#[must_use]
pub fn controller() -> manager::Controller<Ocean> {
    manager::Controller::new(reconcile)
        .named("sea-ocean")
        .conditions(|status| &mut status.conditions)
        .concurrency(1)
}

/// Moves the cluster one step towards what the spec asks for. Runs again whenever the object or one
/// of its children changes, so every step must be safe to repeat. An `Err` becomes the condition
/// `Ready=False` and an event, and is tried again later.
async fn reconcile(
    ocean: std::sync::Arc<Ocean>,
    ctx: manager::Context<Ocean>,
) -> manager::Result<manager::Action> {
    // Your logic goes here. To create a child, or to change it into what you want:
    //
    //     let deployment = ctx.apply(deployment(&ocean)).await?;
    //
    // where `fn deployment(ocean: &Ocean) -> Deployment` returns the plain k8s-openapi
    // struct, with only the fields set that you want to own. What comes back is the live object.

    let ready = condition::met("Ready", "Reconciled", "everything is as the spec asks for");
    ctx.set_status(|status| {
        status.observed_generation = ocean.metadata.generation;
        status.conditions.set(ready);
    });
    Ok(manager::Action::await_change())
}

#[cfg(test)]
mod tests {
    use api::sea::v1::ocean::OceanSpec;

    use super::*;

    /// Without a control plane, in milliseconds: `cargo test --lib`.
    #[tokio::test(start_paused = true)]
    async fn becomes_ready() {
        let cluster = manager::testing::Cluster::new().with(api::crds().unwrap());
        let manager = manager::Manager::new("test", "0", manager::Options::default());
        let _operator = cluster.run(manager.controller(controller()));

        let objects = kube::Api::all(cluster.client());
        let spec = OceanSpec::default();
        let object = Ocean::new("test", spec);
        let params = kube::api::PostParams::default();
        let created = objects.create(&params, &object).await;
        created.unwrap();
        cluster.settle().await;

        let object = objects.get("test").await.unwrap();
        let status = object.status.unwrap();
        assert!(status.conditions.is_met("Ready"));
    }
}
