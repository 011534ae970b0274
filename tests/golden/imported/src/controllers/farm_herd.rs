//! The controller of Herd: reconciles the cluster with the spec of each object.

use api::farm::v1::herd::Herd;
use rustop_manager::prelude::*;

// Permissions of the operator. `make manifests` turns these markers into config/rbac/role.yaml.
//
// +kubebuilder:rbac:groups=farm.example.org,resources=herds,verbs=get;list;watch
// +kubebuilder:rbac:groups=farm.example.org,resources=herds/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// Configures the controller: the kinds that it watches and how many objects it reconciles at once.
///
/// Add `.owns::<Deployment>()` for each kind that `reconcile` creates, so that a change of a child
/// reconciles its owner, and a marker above with `verbs=get;list;watch;create;patch`.
#[must_use]
pub fn controller() -> Controller<Herd> {
    Controller::new(reconcile)
        .with_name("farm-herd")
        .conditions(|status| status.conditions.get_or_insert_default())
        .concurrency(1)
}

/// Brings the cluster closer to the spec. Runs again whenever the object or one of its children
/// changes, so every step must be idempotent. An `Err` sets the condition `Ready=False`, is published
/// as an event, and the reconcile is retried with backoff.
async fn reconcile(herd: Arc<Herd>, ctx: Context<Herd>) -> Result<Action> {
    // TODO(user): your logic (book: docs/reconciling.md). To create or update a child:
    //
    //     let deployment = ctx.apply(deployment(&herd)).await?;
    //
    // where `fn deployment(herd: &Herd) -> Deployment` returns the k8s-openapi
    // struct with only the fields that you want to own. `apply` returns the live object.

    let ready = condition::true_because("Ready", "Reconciled", "the cluster matches the spec");
    ctx.set_status(|status| {
        status.observed_generation = herd.metadata.generation;
        status.conditions.get_or_insert_default().set(ready);
    });
    Ok(Action::await_change())
}
