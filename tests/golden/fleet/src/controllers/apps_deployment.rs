//! Watches each Deployment of apps/v1, a kind that others own.

use k8s_openapi::api::apps::v1::Deployment;

// What the operator may do. `make manifests` turns these lines into config/rbac/role.yaml.
//
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// What is watched, and how many objects are worked on at once.
///
/// Every change of an object leads to `reconcile`, also one of its status: `.when(|before, now| ..)`
/// narrows that. Kinds that `reconcile` creates belong here as `.owns::<Service>()`.
#[must_use]
pub fn controller() -> manager::Controller<Deployment> {
    manager::Controller::new(reconcile)
        .named("apps-deployment")
        .concurrency(1)
}

/// Runs again whenever the object changes, so every step must be safe to repeat. An `Err` becomes
/// an event, and is tried again later.
async fn reconcile(
    deployment: std::sync::Arc<Deployment>,
    ctx: manager::Context<Deployment>,
) -> manager::Result<manager::Action> {
    // Your logic goes here. The object belongs to others; what you have to say about it can be an
    // event:
    //
    //     ctx.event(manager::EventType::Normal, "Checked", "nothing to complain about");
    let _ = (deployment, ctx);
    Ok(manager::Action::await_change())
}
