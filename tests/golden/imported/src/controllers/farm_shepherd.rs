//! The controller of shepherd: reconciles the cluster with the spec of each object.

use api::farm::v1alpha1::shepherd::Shepherd;
use rustop_manager::prelude::*;

// Permissions of the operator. `make manifests` turns these markers into config/rbac/role.yaml.
//
// +kubebuilder:rbac:groups=farm.example.org,resources=shepherds,verbs=get;list;watch
// +kubebuilder:rbac:groups=farm.example.org,resources=shepherds/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// Configures the controller: the kinds that it watches and how many objects it reconciles at once.
///
/// Every change of an object, including its status, calls `reconcile`; the predicate
/// `.predicate(|before, now| ..)` narrows that. Add `.owns::<Service>()` for each kind that `reconcile`
/// creates.
#[must_use]
pub fn controller() -> Controller<Shepherd> {
    Controller::new(reconcile)
        .with_name("farm-shepherd")
        .concurrency(1)
}

/// Reconciles one object. Runs again whenever the object changes, so every step must be idempotent.
/// An `Err` is published as an event, and the reconcile is retried with backoff.
async fn reconcile(shepherd: Arc<Shepherd>, ctx: Context<Shepherd>) -> Result<Action> {
    // TODO(user): your logic (book: docs/reconciling.md). Report with an event, and in the status if the kind has one:
    //
    //     ctx.event(EventType::Normal, "Checked", "nothing to complain about");
    let _ = (shepherd, ctx);
    Ok(Action::await_change())
}
