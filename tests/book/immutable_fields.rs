//! `docs/how-to/immutable.md`.

use k8s_openapi::api::apps::v1::StatefulSet;
use kube::ResourceExt as _;
use kube::api::PropagationPolicy;
use rustop_manager::prelude::*;

use crate::app::App;

// +kubebuilder:rbac:groups=my.domain,resources=apps,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=apps/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch;create;patch;delete
pub fn controller() -> Controller<App> {
    Controller::new(reconcile)
        .owns::<StatefulSet>()
        .conditions(|status| &mut status.conditions)
}

async fn reconcile(app: Arc<App>, ctx: Context<App>) -> Result<Action> {
    let wanted = workers(&app);
    let name = wanted.name_any();
    if let Some(live) = ctx.get::<StatefulSet>(&name)?
        && live.spec.pod_management_policy != wanted.spec.pod_management_policy
    {
        // the Pods keep running, and the next StatefulSet adopts them
        let orphan = PropagationPolicy::Orphan;
        ctx.delete_with_propagation::<StatefulSet>(&name, orphan)
            .await?;
        let text = format!("StatefulSet {name} is replaced");
        let replacing = condition::false_because("Ready", "Replacing", text);
        ctx.set_status(|status| status.conditions.set(replacing));
        // the watch reports when the old one is gone
        return Ok(Action::await_change());
    }
    let ready = match ready(ctx.apply(wanted).await?.as_ref()) {
        Ok(()) => condition::true_because("Ready", "Running", "all workers run"),
        Err(why) => condition::false_because("Ready", "Starting", why),
    };
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(Action::await_change())
}

fn workers(app: &App) -> StatefulSet {
    let policy = if app.spec.queues.len() > 1 {
        "Parallel"
    } else {
        "OrderedReady"
    };
    let mut workers = StatefulSet::default();
    workers.metadata.name = Some(format!("{}-workers", app.name_any()));
    workers.spec.pod_management_policy = Some(policy.to_owned());
    workers
}

#[cfg(test)]
mod tests {
    use kube::api::PostParams;

    use super::*;
    use crate::app::{AppSpec, app};
    use crate::{create, objects, start};

    #[tokio::test(start_paused = true)]
    async fn a_change_of_an_immutable_field_replaces_the_child() {
        let (cluster, _operator) = start(controller());
        create(&cluster, app("a", AppSpec::default())).await;
        let workers = objects::<StatefulSet>(&cluster);
        let old = workers.get("a-workers").await.unwrap();
        assert_eq!(
            old.spec.pod_management_policy.as_deref(),
            Some("OrderedReady")
        );

        let apps = objects::<App>(&cluster);
        let mut changed = apps.get("a").await.unwrap();
        changed.spec.queues = vec!["in".to_owned(), "out".to_owned()];
        apps.replace("a", &PostParams::default(), &changed)
            .await
            .unwrap();
        cluster.settle().await;
        let new = workers.get("a-workers").await.unwrap();
        assert_eq!(new.spec.pod_management_policy.as_deref(), Some("Parallel"));
        assert_ne!(old.metadata.uid, new.metadata.uid);
    }
}
