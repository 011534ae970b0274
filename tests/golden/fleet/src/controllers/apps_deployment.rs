//! The controller of Deployment (apps/v1), a kind of another project.

use k8s_openapi::api::apps::v1::Deployment;
use rustop_manager::prelude::*;

// Permissions of the operator. `make manifests` turns these markers into config/rbac/role.yaml.
//
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// Configures the controller: the kinds that it watches and how many objects it reconciles at once.
///
/// Every change of an object, including its status, calls `reconcile`; the predicate
/// `.predicate(|before, now| ..)` narrows that. Add `.owns::<Service>()` for each kind that `reconcile`
/// creates.
#[must_use]
pub fn controller() -> Controller<Deployment> {
    Controller::new(reconcile)
        .with_name("apps-deployment")
        .concurrency(1)
}

/// Reconciles one object. Runs again whenever the object changes, so every step must be idempotent.
/// An `Err` is published as an event, and the reconcile is retried with backoff.
async fn reconcile(deployment: Arc<Deployment>, ctx: Context<Deployment>) -> Result<Action> {
    // TODO(user): your logic (book: docs/reconciling.md). The object belongs to another project, so report with an event:
    //
    //     ctx.event(EventType::Normal, "Checked", "nothing to complain about");
    let _ = (deployment, ctx);
    Ok(Action::await_change())
}
