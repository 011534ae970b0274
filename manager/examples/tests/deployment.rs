//! Tests of the Deployment that follows its Page.

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

    let patch = Patch::Merge(json!({"spec": {"replicas": 3}}));
    let params = PatchParams::default();
    pages.patch("home", &params, &patch).await.unwrap();
    cluster.settle().await;
    let changed = deployments.get("home").await.unwrap();
    assert_eq!(changed.spec.replicas, Some(3));
}
