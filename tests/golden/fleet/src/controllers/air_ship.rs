//! Moves the cluster towards what each Ship asks for.

use api::air::v1::ship::Ship;
use manager::{Conditions as _, condition};

// What the operator may do. `make manifests` turns these lines into config/rbac/role.yaml.
//
// +kubebuilder:rbac:groups=air.example.com,resources=airships,verbs=get;list;watch
// +kubebuilder:rbac:groups=air.example.com,resources=airships/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// What is watched, and how many objects are worked on at once.
///
/// Every kind that `reconcile` creates belongs here as `.owns::<Deployment>()`: a change of a child
/// then leads back to its owner. It needs a marker above too, with
/// `verbs=get;list;watch;create;patch`.
#[must_use]
pub fn controller() -> manager::Controller<Ship> {
    manager::Controller::new(reconcile)
        .named("air-ship")
        .conditions(|status| &mut status.conditions)
        .concurrency(1)
}

/// Moves the cluster one step towards what the spec asks for. Runs again whenever the object or one
/// of its children changes, so every step must be safe to repeat. An `Err` becomes the condition
/// `Ready=False` and an event, and is tried again later.
async fn reconcile(
    ship: std::sync::Arc<Ship>,
    ctx: manager::Context<Ship>,
) -> manager::Result<manager::Action> {
    // Your logic goes here. To create a child, or to change it into what you want:
    //
    //     let deployment = ctx.apply(deployment(&ship)).await?;
    //
    // where `fn deployment(ship: &Ship) -> Deployment` returns the plain k8s-openapi
    // struct, with only the fields set that you want to own. What comes back is the live object.

    let ready = condition::met("Ready", "Reconciled", "everything is as the spec asks for");
    ctx.set_status(|status| {
        status.observed_generation = ship.metadata.generation;
        status.conditions.set(ready);
    });
    Ok(manager::Action::await_change())
}

#[cfg(test)]
mod tests {
    use api::air::v1::ship::ShipSpec;

    use super::*;

    /// Without a control plane, in milliseconds: `cargo test --lib`.
    #[tokio::test(start_paused = true)]
    async fn becomes_ready() {
        let cluster = manager::testing::Cluster::new().with(api::crds().unwrap());
        let manager = manager::Manager::new("test", "0", manager::Options::default());
        let _operator = cluster.run(manager.controller(controller()));

        let objects = kube::Api::default_namespaced(cluster.client());
        let spec = ShipSpec::default();
        let object = Ship::new("test", spec);
        let params = kube::api::PostParams::default();
        let created = objects.create(&params, &object).await;
        created.unwrap();
        cluster.settle().await;

        let object = objects.get("test").await.unwrap();
        let status = object.status.unwrap();
        assert!(status.conditions.is_met("Ready"));
    }
}
