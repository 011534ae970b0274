//! The controller of Lolcow: a `ConfigMap` with the page and a Deployment that serves it.

use std::collections::BTreeMap;

use api::v1alpha1::lolcow::Lolcow;
use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{
    ConfigMap, ConfigMapVolumeSource, Container, PodSpec, PodTemplateSpec, Volume, VolumeMount,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use kube::ResourceExt as _;
use rustop_manager::prelude::*;

// +kubebuilder:rbac:groups=my.domain,resources=lolcows,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=lolcows/status,verbs=patch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// Configures the controller: a change of a child reconciles its owner. Of the `ConfigMaps` in the cluster, only those that this
/// operator applied are cached.
#[must_use]
pub fn controller() -> Controller<Lolcow> {
    Controller::new(reconcile)
        .owns_matching(Watch::<ConfigMap>::new().applied())
        .owns::<Deployment>()
        .conditions(|status| &mut status.conditions)
        .concurrency(1)
}

/// Applies both children and reports whether the Deployment is ready.
async fn reconcile(lolcow: Arc<Lolcow>, ctx: Context<Lolcow>) -> Result<Action> {
    ctx.apply(page(&lolcow)).await?;
    let deployment = ctx.apply(deployment(&lolcow)).await?;

    let ready = match ready(deployment.as_ref()) {
        Ok(()) => condition::true_because("Ready", "Serving", "the page is served"),
        Err(why) => condition::false_because("Ready", "Starting", why),
    };
    ctx.set_status(|status| {
        status.observed_generation = lolcow.metadata.generation;
        status.conditions.set(ready);
    });
    Ok(Action::await_change())
}

/// Returns the page with the message.
fn page(lolcow: &Lolcow) -> ConfigMap {
    let cow = format!("<pre>&lt; {} &gt;\n  (oo)\n</pre>\n", lolcow.spec.message);
    ConfigMap {
        metadata: metadata(lolcow),
        data: Some([("index.html".to_owned(), cow)].into()),
        ..ConfigMap::default()
    }
}

/// Returns a Deployment of a web server that serves the page. Fields that are not set here keep the API server's defaults and
/// the values of other clients.
fn deployment(lolcow: &Lolcow) -> Deployment {
    let labels = BTreeMap::from([("lolcow".to_owned(), lolcow.name_any())]);
    let server = Container {
        name: "web".to_owned(),
        image: Some("nginx:1.29".to_owned()),
        volume_mounts: Some(vec![VolumeMount {
            name: "page".to_owned(),
            mount_path: "/usr/share/nginx/html".to_owned(),
            ..VolumeMount::default()
        }]),
        ..Container::default()
    };
    let page = Volume {
        name: "page".to_owned(),
        config_map: Some(ConfigMapVolumeSource {
            name: lolcow.name_any(),
            ..ConfigMapVolumeSource::default()
        }),
        ..Volume::default()
    };
    Deployment {
        metadata: metadata(lolcow),
        spec: DeploymentSpec {
            replicas: Some(lolcow.spec.replicas),
            selector: LabelSelector {
                match_labels: Some(labels.clone()),
                ..LabelSelector::default()
            },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta {
                    labels: Some(labels),
                    ..ObjectMeta::default()
                }),
                spec: Some(PodSpec {
                    containers: vec![server],
                    volumes: Some(vec![page]),
                    ..PodSpec::default()
                }),
            },
            ..DeploymentSpec::default()
        },
        ..Deployment::default()
    }
}

fn metadata(lolcow: &Lolcow) -> ObjectMeta {
    ObjectMeta {
        name: lolcow.metadata.name.clone(),
        ..ObjectMeta::default()
    }
}

#[cfg(test)]
mod tests {
    use api::v1alpha1::lolcow::LolcowSpec;
    use kube::Api;
    use kube::api::PostParams;
    use rustop_manager::testing;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn page_follows_the_message() {
        let cluster = testing::Cluster::new().with(api::crds().unwrap());
        let manager = Manager::new("test", "0", Options::default());
        let _operator = cluster.run(manager.controller(controller()));

        let lolcows = Api::<Lolcow>::default_namespaced(cluster.client());
        let params = PostParams::default();
        let lolcow = Lolcow::new("betty", LolcowSpec::default());
        lolcows.create(&params, &lolcow).await.unwrap();
        cluster.settle().await;
        assert!(served(&cluster).await.contains("&lt; moo &gt;"));

        let mut lolcow = lolcows.get("betty").await.unwrap();
        lolcow.spec.message = "more hay".to_owned();
        lolcows.replace("betty", &params, &lolcow).await.unwrap();
        cluster.settle().await;
        assert!(served(&cluster).await.contains("&lt; more hay &gt;"));
    }

    async fn served(cluster: &testing::Cluster) -> String {
        let pages = Api::<ConfigMap>::default_namespaced(cluster.client());
        let page = pages.get("betty").await.unwrap();
        page.data.unwrap()["index.html"].clone()
    }
}
