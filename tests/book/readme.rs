//! README: the part of an operator that a user writes.

use k8s_openapi::api::apps::v1::{Deployment, DeploymentStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use rustop_manager::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[kube(
    group = "my.domain",
    version = "v1",
    kind = "Page",
    namespaced,
    status = "PageStatus"
)]
pub struct PageSpec {}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
pub struct PageStatus {
    pub replicas: Option<i32>,
    #[serde(default)]
    pub conditions: Vec<Condition>,
}

pub fn controller() -> Controller<Page> {
    Controller::new(reconcile)
        .owns::<Deployment>()
        .conditions(|status| &mut status.conditions)
}

async fn reconcile(page: Arc<Page>, ctx: Context<Page>) -> Result<Action> {
    let deployment = ctx.apply(deployment(&page)).await?; // server-side; sends nothing if nothing changed
    let observed = deployment.status.clone().unwrap_or_default();
    ctx.set_status(|status| status.replicas = observed.available_replicas);
    Ok(Action::await_change())
}

fn deployment(page: &Page) -> Deployment {
    let mut deployment = Deployment::default();
    deployment.metadata.name.clone_from(&page.metadata.name);
    deployment
}

#[cfg(test)]
mod tests {
    use kube::CustomResourceExt as _;
    use kube::api::PostParams;
    use rustop_manager::testing::Cluster;

    use super::*;
    use crate::objects;

    #[tokio::test(start_paused = true)]
    async fn the_status_has_the_number_of_available_pods() {
        let cluster = Cluster::new().with([Page::crd()]);
        let manager = Manager::new("page-operator", "0", Options::default());
        let _operator = cluster.run(manager.controller(controller()));
        let params = PostParams::default();
        let pages = objects::<Page>(&cluster);
        let page = Page::new("a", PageSpec::default());
        pages.create(&params, &page).await.unwrap();
        cluster.settle().await;

        let deployments = objects::<Deployment>(&cluster);
        let mut deployment = deployments.get("a").await.unwrap();
        deployment.status = Some(DeploymentStatus {
            available_replicas: Some(2),
            ..DeploymentStatus::default()
        });
        deployments
            .replace_status("a", &params, &deployment)
            .await
            .unwrap();
        cluster.settle().await;
        let page = pages.get("a").await.unwrap();
        assert_eq!(page.status.unwrap().replicas, Some(2));
    }
}
