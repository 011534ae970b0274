//! The operator, and one task beside its controllers: it holds a ConfigMap for as long as it runs.

use faults_operator::controllers;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, PostParams};

#[tokio::main]
async fn main() -> manager::Result<()> {
    let manager = manager::Manager::from_args(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    let Ok(name) = std::env::var("TASK") else {
        return controllers::register(manager).run().await;
    };
    let task = manager.task("beat", |client, stop| async move {
        let namespace = std::env::var("WATCH_NAMESPACE").unwrap_or_default();
        let maps = Api::<ConfigMap>::namespaced(client, &namespace);
        let mut map = ConfigMap::default();
        map.metadata.name = Some(name.clone());
        maps.create(&PostParams::default(), &map).await.expect("a ConfigMap");
        stop.cancelled().await;
        maps.delete(&name, &DeleteParams::default()).await.expect("no ConfigMap");
    });
    controllers::register(task).run().await
}
