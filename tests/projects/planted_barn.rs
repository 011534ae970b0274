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

pub fn controller() -> rustop_manager::Controller<Barn> {
    rustop_manager::Controller::new(reconcile).owns::<Silo>().conditions(|status| &mut status.conditions)
}

async fn reconcile(_: Arc<Barn>, _: rustop_manager::Context<Barn>) -> rustop_manager::Result<rustop_manager::Action> {
    Ok(rustop_manager::Action::await_change())
}
