//! Says where each Database would answer.

use api::v1alpha1::database::{Database, Endpoint};
use rustop_manager::{Conditions as _, condition};

// +kubebuilder:rbac:groups=my.domain,resources=databases,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=databases/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// What is watched.
#[must_use]
pub fn controller() -> rustop_manager::Controller<Database> {
    rustop_manager::Controller::new(reconcile).conditions(|status| &mut status.conditions)
}

async fn reconcile(
    database: std::sync::Arc<Database>,
    ctx: rustop_manager::Context<Database>,
) -> rustop_manager::Result<rustop_manager::Action> {
    let endpoint = |name: &str, port| Endpoint {
        name: name.to_owned(),
        host: format!("{name}.my.domain"),
        port,
    };
    let ready = condition::true_because("Ready", "Reconciled", "it is as the spec asks for");
    ctx.set_status(|status| {
        status.observed_generation = database.metadata.generation;
        status.instances = database.spec.instances;
        status.endpoints = vec![endpoint("read", 5433), endpoint("write", 5432)];
        status.conditions.set(ready);
    });
    Ok(rustop_manager::Action::await_change())
}
