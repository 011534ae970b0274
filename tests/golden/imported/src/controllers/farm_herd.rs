//! Moves the cluster towards what each Herd asks for.

use api::farm::v1::herd::Herd;
use manager::{Conditions as _, condition};

// What the operator may do. `make manifests` turns these lines into config/rbac/role.yaml.
//
// +kubebuilder:rbac:groups=farm.example.org,resources=herds,verbs=get;list;watch
// +kubebuilder:rbac:groups=farm.example.org,resources=herds/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// What is watched, and how many objects are worked on at once.
///
/// Every kind that `reconcile` creates belongs here as `.owns::<Deployment>()`: a change of a child
/// then leads back to its owner. It needs a marker above too, with
/// `verbs=get;list;watch;create;patch`.
#[must_use]
pub fn controller() -> manager::Controller<Herd> {
    manager::Controller::new(reconcile)
        .named("farm-herd")
        .conditions(|status| status.conditions.get_or_insert_default())
        .concurrency(1)
}

/// Moves the cluster one step towards what the spec asks for. Runs again whenever the object or one
/// of its children changes, so every step must be safe to repeat. An `Err` becomes the condition
/// `Ready=False` and an event, and is tried again later.
async fn reconcile(
    herd: std::sync::Arc<Herd>,
    ctx: manager::Context<Herd>,
) -> manager::Result<manager::Action> {
    // Your logic goes here. To create a child, or to change it into what you want:
    //
    //     let deployment = ctx.apply(deployment(&herd)).await?;
    //
    // where `fn deployment(herd: &Herd) -> Deployment` returns the plain k8s-openapi
    // struct, with only the fields set that you want to own. What comes back is the live object.

    let ready = condition::met("Ready", "Reconciled", "everything is as the spec asks for");
    ctx.set_status(|status| {
        status.observed_generation = herd.metadata.generation;
        status.conditions.get_or_insert_default().set(ready);
    });
    Ok(manager::Action::await_change())
}
