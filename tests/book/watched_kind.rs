//! `docs/how-to/watch.md`.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt as _;
use rustop_manager::prelude::*;

use crate::app::App;

/// The label with which users assign a `ConfigMap` to an App.
const LABEL: &str = "my.domain/app";

// +kubebuilder:rbac:groups=my.domain,resources=apps,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=apps/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch
pub fn controller() -> Controller<App> {
    let labelled = Watch::<ConfigMap>::new().labels(LABEL);
    Controller::new(reconcile)
        .watches_matching(labelled, |map| {
            let app = map.metadata.labels.as_ref()?.get(LABEL)?;
            Some(ObjectRef::new(app).within(map.metadata.namespace.as_deref()?))
        })
        .indexed_by("app", |map: &ConfigMap| {
            map.metadata.labels.as_ref()?.get(LABEL).cloned()
        })
        .conditions(|status| &mut status.conditions)
}

async fn reconcile(app: Arc<App>, ctx: Context<App>) -> Result<Action> {
    // the index covers all namespaces
    let maps = ctx.by_index::<ConfigMap>("app", &app.name_any())?;
    let maps = maps.iter().filter(|map| map.namespace() == app.namespace());
    let text = format!("ConfigMaps in use: {}", maps.count());
    let ready = condition::true_because("Ready", "Configured", text);
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(Action::await_change())
}

#[cfg(test)]
mod tests {
    use kube::api::DeleteParams;
    use rustop_manager::testing::Cluster;

    use super::*;
    use crate::app::{AppSpec, app};
    use crate::{create, objects, start};

    async fn message(cluster: &Cluster) -> String {
        let app = objects::<App>(cluster).get("a").await.unwrap();
        let conditions = app.status.unwrap().conditions;
        conditions.of_type("Ready").unwrap().message.clone()
    }

    #[tokio::test(start_paused = true)]
    async fn a_labelled_object_reconciles_its_app() {
        let (cluster, _operator) = start(controller());
        create(&cluster, app("a", AppSpec::default())).await;
        assert_eq!(message(&cluster).await, "ConfigMaps in use: 0");

        let mut map = ConfigMap::default();
        map.metadata.name = Some("colours".to_owned());
        map.metadata.labels = Some([(LABEL.to_owned(), "a".to_owned())].into());
        create(&cluster, map).await;
        assert_eq!(message(&cluster).await, "ConfigMaps in use: 1");

        let maps = objects::<ConfigMap>(&cluster);
        let params = DeleteParams::default();
        maps.delete("colours", &params).await.unwrap();
        cluster.settle().await;
        assert_eq!(message(&cluster).await, "ConfigMaps in use: 0");
    }
}
