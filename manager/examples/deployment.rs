//! A Deployment for each object: `cargo run --example deployment` runs it with the current
//! kubeconfig.

use k8s_openapi::api::apps::v1::Deployment;
use kube::{CustomResource, ResourceExt as _};
use rustop_manager::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[kube(group = "example.com", version = "v1", kind = "Page", namespaced)]
#[kube(status = "PageStatus")]
struct PageSpec {
    image: String,
    replicas: i32,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
struct PageStatus {
    available: Option<i32>,
}

/// A change of a Deployment reconciles the Page that owns it.
fn controller() -> Controller<Page> {
    Controller::new(reconcile).owns::<Deployment>()
}

#[expect(clippy::large_futures, reason = "the controller boxes the future")]
async fn reconcile(page: Arc<Page>, ctx: Context<Page>) -> Result<Action> {
    // Sends nothing if the Deployment already has these fields.
    let deployment = ctx.apply(deployment(&page)?).await?;
    let available = deployment
        .status
        .as_ref()
        .and_then(|it| it.available_replicas);
    ctx.set_status(|status| status.available = available);
    Ok(Action::await_change())
}

/// Returns only the fields that the operator owns. `apply` adds the namespace and the owner
/// reference.
fn deployment(page: &Page) -> serde_json::Result<Deployment> {
    let labels = json!({"page": page.name_any()});
    serde_json::from_value(json!({
        "metadata": {"name": page.name_any()},
        "spec": {
            "replicas": page.spec.replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "web", "image": page.spec.image}]},
            },
        },
    }))
}

#[tokio::main]
async fn main() -> Result<()> {
    let manager = Manager::from_args("page-operator", "0.1.0");
    manager.controller(controller()).run().await
}

#[cfg(test)]
#[path = "tests/deployment.rs"]
mod tests;
