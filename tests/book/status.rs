//! `docs/how-to/status.md`.

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::ResourceExt as _;
use rustop_manager::prelude::*;

use crate::app::App;

/// More queues than this need a bigger machine.
const LIMIT: usize = 3;

// +kubebuilder:rbac:groups=my.domain,resources=apps,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=apps/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch;delete
pub fn controller() -> Controller<App> {
    Controller::new(reconcile)
        .owns_matching(Watch::<ConfigMap>::new().applied())
        .conditions(|status| &mut status.conditions)
        .negative_conditions(["Crowded"])
}

async fn reconcile(app: Arc<App>, ctx: Context<App>) -> Result<Action> {
    let mut children = Children::new();
    for queue in &app.spec.queues {
        children.add(settings(&app, queue));
    }
    let applied = ctx.apply_all(children).prune().await?;
    if !applied.deleted.is_empty() {
        let note = format!("Deleted {} queues", applied.deleted.len());
        ctx.event(EventType::Normal, "QueuesDeleted", &note);
    }

    let queues = app.spec.queues.len();
    let text = format!("{queues} queues are configured");
    let ready = condition::true_because("Ready", "Configured", text);
    let crowded = crowded(queues);
    ctx.set_status(|status| {
        status.conditions.set(ready);
        status.conditions.set(crowded);
    });
    Ok(Action::await_change())
}

fn crowded(queues: usize) -> Condition {
    if queues > LIMIT {
        let text = format!("{queues} queues are slow: use at most {LIMIT}");
        condition::true_because("Crowded", "TooManyQueues", text)
    } else {
        condition::false_because("Crowded", "FewQueues", "the queues are fast")
    }
}

fn settings(app: &App, queue: &str) -> ConfigMap {
    let mut settings = ConfigMap::default();
    settings.metadata.name = Some(format!("{}-{queue}", app.name_any()));
    settings
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::events::v1::Event;
    use kube::api::{ListParams, PostParams};

    use super::*;
    use crate::app::{AppSpec, app};
    use crate::{create, objects, start};

    fn spec(queues: usize) -> AppSpec {
        AppSpec {
            queues: (0..queues).map(|queue| format!("q{queue}")).collect(),
            ..AppSpec::default()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn conditions_show_the_state_and_events_the_changes() {
        let (cluster, _operator) = start(controller());
        create(&cluster, app("a", spec(LIMIT + 1))).await;
        let apps = objects::<App>(&cluster);
        let mut changed = apps.get("a").await.unwrap();
        let conditions = changed.status.clone().unwrap().conditions;
        assert!(conditions.is_met("Ready") && conditions.is_met("Crowded"));

        changed.spec = spec(1);
        let params = PostParams::default();
        apps.replace("a", &params, &changed).await.unwrap();
        cluster.settle().await;
        let conditions = apps.get("a").await.unwrap().status.unwrap().conditions;
        assert!(conditions.is_met("Ready") && !conditions.is_met("Crowded"));

        let events = objects::<Event>(&cluster)
            .list(&ListParams::default())
            .await
            .unwrap();
        let published = |type_: &str, reason: &str| {
            events.iter().any(|event| {
                event.type_.as_deref() == Some(type_) && event.reason.as_deref() == Some(reason)
            })
        };
        assert!(published("Warning", "TooManyQueues"), "{events:?}");
        assert!(published("Normal", "QueuesDeleted"), "{events:?}");
    }
}
