//! Moves the cluster towards what each shepherd asks for.

use api::farm::v1alpha1::shepherd::Shepherd;

// What the operator may do. `make manifests` turns these lines into config/rbac/role.yaml.
//
// +kubebuilder:rbac:groups=farm.example.org,resources=shepherds,verbs=get;list;watch
// +kubebuilder:rbac:groups=farm.example.org,resources=shepherds/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// What is watched, and how many objects are worked on at once.
///
/// Every change of an object leads to `reconcile`, also one of its status: `.when(|before, now| ..)`
/// narrows that. Kinds that `reconcile` creates belong here as `.owns::<Service>()`.
#[must_use]
pub fn controller() -> manager::Controller<Shepherd> {
    manager::Controller::new(reconcile)
        .named("farm-shepherd")
        .concurrency(1)
}

/// Runs again whenever the object changes, so every step must be safe to repeat. An `Err` becomes
/// an event, and is tried again later.
async fn reconcile(
    shepherd: std::sync::Arc<Shepherd>,
    ctx: manager::Context<Shepherd>,
) -> manager::Result<manager::Action> {
    // Your logic goes here. What you have to say about the object can be an event, and its status if it has one:
    //
    //     ctx.event(manager::EventType::Normal, "Checked", "nothing to complain about");
    let _ = (shepherd, ctx);
    Ok(manager::Action::await_change())
}
