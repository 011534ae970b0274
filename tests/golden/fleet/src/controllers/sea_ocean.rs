//! The controller of Ocean: reconciles the cluster with the spec of each object.

use api::sea::v1::ocean::Ocean;
use rustop_manager::prelude::*;

// Permissions of the operator. `make manifests` turns these markers into config/rbac/role.yaml.
//
// +kubebuilder:rbac:groups=sea.example.com,resources=oceans,verbs=get;list;watch
// +kubebuilder:rbac:groups=sea.example.com,resources=oceans/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// Configures the controller: the kinds that it watches and how many objects it reconciles at once.
///
/// Add `.owns::<Deployment>()` for each kind that `reconcile` creates, so that a change of a child
/// reconciles its owner, and a marker above with `verbs=get;list;watch;create;patch`.
#[must_use]
pub fn controller() -> Controller<Ocean> {
    Controller::new(reconcile)
        .with_name("sea-ocean")
        .conditions(|status| &mut status.conditions)
        .concurrency(1)
}

/// Brings the cluster closer to the spec. Runs again whenever the object or one of its children
/// changes, so every step must be idempotent. An `Err` sets the condition `Ready=False`, is published
/// as an event, and the reconcile is retried with backoff.
async fn reconcile(ocean: Arc<Ocean>, ctx: Context<Ocean>) -> Result<Action> {
    // TODO(user): your logic (book: docs/reconciling.md). To create or update a child:
    //
    //     let deployment = ctx.apply(deployment(&ocean)).await?;
    //
    // where `fn deployment(ocean: &Ocean) -> Deployment` returns the k8s-openapi
    // struct with only the fields that you want to own. `apply` returns the live object.

    let ready = condition::true_because("Ready", "Reconciled", "the cluster matches the spec");
    ctx.set_status(|status| {
        status.observed_generation = ocean.metadata.generation;
        status.conditions.set(ready);
    });
    Ok(Action::await_change())
}

#[cfg(test)]
mod tests {
    use api::sea::v1::ocean::OceanSpec;
    use rustop_manager::testing;

    use super::*;

    /// Runs on the in-memory API server, in milliseconds: `cargo test --lib`.
    #[tokio::test(start_paused = true)]
    async fn becomes_ready() {
        let cluster = testing::Cluster::new().with(api::crds().unwrap());
        let manager = Manager::new("test", "0", Options::default());
        let _operator = cluster.run(manager.controller(controller()));

        let objects = kube::Api::all(cluster.client());
        let spec = OceanSpec::default();
        let object = Ocean::new("test", spec);
        objects
            .create(&kube::api::PostParams::default(), &object)
            .await
            .unwrap();
        cluster.settle().await;

        // TODO(user): check the objects that `reconcile` creates (book: docs/how-to/testing.md).
        let object = objects.get("test").await.unwrap();
        let status = object.status.unwrap();
        assert!(status.conditions.is_met("Ready"));
    }
}
