//! `docs/how-to/prune.md`.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt as _;
use rustop_manager::prelude::*;

use crate::app::App;

// +kubebuilder:rbac:groups=my.domain,resources=apps,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch;delete
pub fn controller() -> Controller<App> {
    Controller::new(reconcile).owns_matching(Watch::<ConfigMap>::new().applied())
}

async fn reconcile(app: Arc<App>, ctx: Context<App>) -> Result<Action> {
    let mut children = Children::new();
    for queue in &app.spec.queues {
        children.add(settings(&app, queue));
    }
    // deletes the ConfigMaps of queues that the spec no longer lists
    ctx.apply_all(children).prune().await?;
    Ok(Action::await_change())
}

fn settings(app: &App, queue: &str) -> ConfigMap {
    let mut settings = ConfigMap::default();
    settings.metadata.name = Some(format!("{}-{queue}", app.name_any()));
    settings.data = Some([("queue".to_owned(), queue.to_owned())].into());
    settings
}

#[cfg(test)]
mod tests {
    use kube::api::{ListParams, PostParams};

    use super::*;
    use crate::app::{AppSpec, app};
    use crate::{create, objects, start};

    #[tokio::test(start_paused = true)]
    async fn a_child_that_the_spec_no_longer_lists_is_deleted() {
        let (cluster, _operator) = start(controller());
        let spec = AppSpec {
            queues: vec!["in".to_owned(), "out".to_owned()],
            ..AppSpec::default()
        };
        create(&cluster, app("a", spec)).await;
        let apps = objects::<App>(&cluster);
        let mut changed = apps.get("a").await.unwrap();
        changed.spec.queues.pop();
        apps.replace("a", &PostParams::default(), &changed)
            .await
            .unwrap();
        cluster.settle().await;

        let maps = objects::<ConfigMap>(&cluster)
            .list(&ListParams::default())
            .await
            .unwrap();
        let names: Vec<_> = maps.iter().map(kube::ResourceExt::name_any).collect();
        assert_eq!(names, ["a-in"]);
    }
}
