//! Watches each Certificate of cert-manager.io/v1, a kind that others own.

use api::cert_manager::v1::certificate::Certificate;

// What the operator may do. `make manifests` turns these lines into config/rbac/role.yaml.
//
// +kubebuilder:rbac:groups=cert-manager.io,resources=certificates,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// What is watched, and how many objects are worked on at once.
///
/// Every change of an object leads to `reconcile`, also one of its status: `.when(|before, now| ..)`
/// narrows that. Kinds that `reconcile` creates belong here as `.owns::<Service>()`.
#[must_use]
pub fn controller() -> manager::Controller<Certificate> {
    manager::Controller::new(reconcile)
        .named("cert-manager-certificate")
        .concurrency(1)
}

/// Runs again whenever the object changes, so every step must be safe to repeat. An `Err` becomes
/// an event, and is tried again later.
async fn reconcile(
    certificate: std::sync::Arc<Certificate>,
    ctx: manager::Context<Certificate>,
) -> manager::Result<manager::Action> {
    // Your logic goes here. The object belongs to others; what you have to say about it can be an
    // event:
    //
    //     ctx.event(manager::EventType::Normal, "Checked", "nothing to complain about");
    let _ = (certificate, ctx);
    Ok(manager::Action::await_change())
}
