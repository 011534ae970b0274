//! The controller of Certificate (cert-manager.io/v1), a kind of another project.

use api::cert_manager::v1::certificate::Certificate;
use rustop_manager::prelude::*;

// Permissions of the operator. `make manifests` turns these markers into config/rbac/role.yaml.
//
// +kubebuilder:rbac:groups=cert-manager.io,resources=certificates,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// Configures the controller: the kinds that it watches and how many objects it reconciles at once.
///
/// Every change of an object, including its status, calls `reconcile`; the predicate
/// `.predicate(|before, now| ..)` narrows that. Add `.owns::<Service>()` for each kind that `reconcile`
/// creates.
#[must_use]
pub fn controller() -> Controller<Certificate> {
    Controller::new(reconcile)
        .with_name("cert-manager-certificate")
        .concurrency(1)
}

/// Reconciles one object. Runs again whenever the object changes, so every step must be idempotent.
/// An `Err` is published as an event, and the reconcile is retried with backoff.
async fn reconcile(certificate: Arc<Certificate>, ctx: Context<Certificate>) -> Result<Action> {
    // TODO(user): your logic (book: docs/reconciling.md). The object belongs to another project, so report with an event:
    //
    //     ctx.event(EventType::Normal, "Checked", "nothing to complain about");
    let _ = (certificate, ctx);
    Ok(Action::await_change())
}
