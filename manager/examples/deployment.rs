//! A Deployment for each object: `cargo run --example deployment` runs it with the current
//! kubeconfig.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{Container, PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use kube::{CustomResource, ResourceExt as _};
use rustop_manager::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    let deployment = ctx.apply(deployment(&page)).await?;
    let available = deployment
        .status
        .as_ref()
        .and_then(|it| it.available_replicas);
    ctx.set_status(|status| status.available = available);
    Ok(Action::await_change())
}

/// Returns only the fields that the operator owns. `apply` adds the namespace and the owner
/// reference.
fn deployment(page: &Page) -> Deployment {
    let labels = Some(BTreeMap::from([("page".to_owned(), page.name_any())]));
    let container = Container {
        name: "web".to_owned(),
        image: Some(page.spec.image.clone()),
        ..Container::default()
    };
    let template = PodTemplateSpec {
        metadata: Some(ObjectMeta {
            labels: labels.clone(),
            ..ObjectMeta::default()
        }),
        spec: Some(PodSpec {
            containers: vec![container],
            ..PodSpec::default()
        }),
    };
    let selector = LabelSelector {
        match_labels: labels,
        ..LabelSelector::default()
    };
    let spec = DeploymentSpec {
        replicas: Some(page.spec.replicas),
        selector,
        template,
        ..DeploymentSpec::default()
    };
    Deployment {
        metadata: ObjectMeta {
            name: page.metadata.name.clone(),
            ..ObjectMeta::default()
        },
        spec,
        ..Deployment::default()
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let manager = Manager::from_args("page-operator", "0.1.0");
    manager.controller(controller()).run().await
}

#[cfg(test)]
mod tests {
    use kube::api::{Api, Patch, PatchParams, PostParams};
    use kube::core::CustomResourceExt as _;
    use rustop_manager::testing::Cluster;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_deployment_follows_its_page() {
        let cluster = Cluster::new().with([Page::crd()]);
        let manager = Manager::new("test", "0", Options::default());
        let _operator = cluster.run(manager.controller(controller()));
        let pages = Api::<Page>::default_namespaced(cluster.client());
        let deployments = Api::<Deployment>::default_namespaced(cluster.client());

        let spec = PageSpec {
            image: "nginx:1.29".to_owned(),
            replicas: 2,
        };
        let page = Page::new("home", spec);
        pages.create(&PostParams::default(), &page).await.unwrap();
        cluster.settle().await;
        let made = deployments.get("home").await.unwrap();
        assert_eq!(made.spec.replicas, Some(2));

        let patch = Patch::Merge(serde_json::json!({"spec": {"replicas": 3}}));
        let params = PatchParams::default();
        pages.patch("home", &params, &patch).await.unwrap();
        cluster.settle().await;
        let changed = deployments.get("home").await.unwrap();
        assert_eq!(changed.spec.replicas, Some(3));
    }
}
