//! `docs/how-to/order.md`.

use k8s_openapi::api::apps::v1::{Deployment, StatefulSet};
use k8s_openapi::api::core::v1::Service;
use kube::ResourceExt as _;
use rustop_manager::prelude::*;

use crate::app::App;

// +kubebuilder:rbac:groups=my.domain,resources=apps,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=my.domain,resources=apps/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=apps,resources=deployments;statefulsets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;patch;delete
pub fn controller() -> Controller<App> {
    Controller::new(reconcile)
        .owns::<StatefulSet>()
        .owns::<Deployment>()
        .owns::<Service>()
        .conditions(|status| &mut status.conditions)
        .cleanup("my.domain/in-order", cleanup)
}

fn children(app: &App) -> Sequence<App> {
    Sequence::new()
        .then(database(app), ready)
        .then(web(app), ready)
        .and(service(app), ready)
}

async fn reconcile(app: Arc<App>, ctx: Context<App>) -> Result<Action> {
    let ready = ctx.apply_in_order(children(&app)).await?;
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(Action::await_change())
}

/// Deletes the web server before the database.
async fn cleanup(app: Arc<App>, ctx: Context<App>) -> Result<()> {
    ctx.delete_in_reverse(children(&app)).await
}

fn database(app: &App) -> StatefulSet {
    let mut database = StatefulSet::default();
    database.metadata.name = Some(format!("{}-database", app.name_any()));
    database
}

fn web(app: &App) -> Deployment {
    let mut web = Deployment::default();
    web.metadata.name = Some(app.name_any());
    web
}

fn service(app: &App) -> Service {
    let mut service = Service::default();
    service.metadata.name = Some(app.name_any());
    service
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{AppSpec, app};
    use crate::{create, objects, start};

    #[tokio::test(start_paused = true)]
    async fn the_web_server_waits_for_the_database() {
        let (cluster, _operator) = start(controller());
        create(&cluster, app("a", AppSpec::default())).await;
        assert!(
            objects::<StatefulSet>(&cluster)
                .get("a-database")
                .await
                .is_ok()
        );
        assert!(objects::<Deployment>(&cluster).get("a").await.is_err());
        let status = objects::<App>(&cluster)
            .get("a")
            .await
            .unwrap()
            .status
            .unwrap();
        let ready = status.conditions.of_type("Ready").unwrap().clone();
        assert_eq!(ready.status, "False");
        assert!(
            ready.message.contains("StatefulSet a-database"),
            "{}",
            ready.message
        );
    }
}
