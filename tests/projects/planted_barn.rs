//! Owns a kind whose CRD nobody has installed.

use std::sync::Arc;

use api::v1alpha1::barn::Barn;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// As a project would have it of somebody else.
#[derive(Clone, CustomResource, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "storage.example", version = "v1", kind = "Silo", plural = "silos", namespaced)]
pub struct SiloSpec {}

// +kubebuilder:rbac:groups=my.domain,resources=barns,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=barns/status,verbs=patch
// +kubebuilder:rbac:groups=storage.example,resources=silos,verbs=get;list;watch;create;patch

pub fn controller() -> manager::Controller<Barn> {
    manager::Controller::new(reconcile).owns::<Silo>().conditions(|status| &mut status.conditions)
}

async fn reconcile(_: Arc<Barn>, _: manager::Context<Barn>) -> manager::Result<manager::Action> {
    Ok(manager::Action::await_change())
}
