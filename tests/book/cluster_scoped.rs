//! `docs/how-to/cluster-scoped.md`.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{CustomResource, ResourceExt as _};
use rustop_manager::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[kube(group = "my.domain", version = "v1", kind = "Pasture")]
pub struct PastureSpec {
    /// The namespaces that get the settings of the pasture.
    #[serde(default)]
    pub namespaces: Vec<String>,
}

// +kubebuilder:rbac:groups=my.domain,resources=pastures,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch;delete
pub fn controller() -> Controller<Pasture> {
    Controller::new(reconcile).owns_matching(Watch::<ConfigMap>::new().applied())
}

async fn reconcile(pasture: Arc<Pasture>, ctx: Context<Pasture>) -> Result<Action> {
    let mut children = Children::new();
    for namespace in &pasture.spec.namespaces {
        children.add(settings(&pasture, namespace));
    }
    ctx.apply_all(children).prune().await?;
    Ok(Action::await_change())
}

fn settings(pasture: &Pasture, namespace: &str) -> ConfigMap {
    let mut settings = ConfigMap::default();
    settings.metadata.name = Some(pasture.name_any());
    settings.metadata.namespace = Some(namespace.to_owned());
    settings
}

#[cfg(test)]
mod tests {
    use kube::api::{Api, DeleteParams, ListParams, PostParams};
    use kube::core::CustomResourceExt as _;
    use rustop_manager::testing::Cluster;

    use super::*;

    async fn namespaces_with_settings(cluster: &Cluster) -> Vec<String> {
        cluster.settle().await;
        let maps = Api::<ConfigMap>::all(cluster.client());
        let maps = maps.list(&ListParams::default()).await.unwrap();
        let mut namespaces: Vec<_> = maps
            .iter()
            .filter_map(kube::ResourceExt::namespace)
            .collect();
        namespaces.sort();
        namespaces
    }

    #[tokio::test(start_paused = true)]
    async fn children_follow_the_list_of_namespaces() {
        let cluster = Cluster::new().with([Pasture::crd()]);
        let manager = Manager::new("pasture-operator", "0", Options::default());
        let _operator = cluster.run(manager.controller(controller()));
        let pastures = Api::<Pasture>::all(cluster.client());
        let params = PostParams::default();
        let spec = PastureSpec {
            namespaces: vec!["default".to_owned(), "kube-system".to_owned()],
        };
        let pasture = Pasture::new("green", spec);
        pastures.create(&params, &pasture).await.unwrap();
        assert_eq!(
            namespaces_with_settings(&cluster).await,
            ["default", "kube-system"]
        );

        let mut changed = pastures.get("green").await.unwrap();
        changed.spec.namespaces.remove(0);
        pastures.replace("green", &params, &changed).await.unwrap();
        assert_eq!(namespaces_with_settings(&cluster).await, ["kube-system"]);

        let params = DeleteParams::default();
        pastures.delete("green", &params).await.unwrap();
        assert!(namespaces_with_settings(&cluster).await.is_empty());
    }
}
