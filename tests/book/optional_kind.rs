//! `docs/how-to/optional-kind.md`.

use kube::{CustomResource, ResourceExt as _};
use rustop_manager::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;

/// A kind of the Prometheus operator. A project gets its whole type with `rustop create api --from-crd`.
#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[kube(
    group = "monitoring.coreos.com",
    version = "v1",
    kind = "ServiceMonitor",
    namespaced
)]
pub struct ServiceMonitorSpec {}

// +kubebuilder:rbac:groups=my.domain,resources=apps,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=apps/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=monitoring.coreos.com,resources=servicemonitors,verbs=get;list;watch;create;patch
pub fn controller() -> Controller<App> {
    let monitors = Watch::<ServiceMonitor>::new().applied().optional();
    Controller::new(reconcile)
        .owns_matching(monitors)
        .conditions(|status| &mut status.conditions)
}

async fn reconcile(app: Arc<App>, ctx: Context<App>) -> Result<Action> {
    if ctx.is_available::<ServiceMonitor>() {
        ctx.apply(monitor(&app)).await?;
    }
    let ready = condition::true_because("Ready", "Configured", "all children are applied");
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(Action::await_change())
}

fn monitor(app: &App) -> ServiceMonitor {
    ServiceMonitor::new(&app.name_any(), ServiceMonitorSpec::default())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
    use kube::api::PostParams;
    use kube::{Api, CustomResourceExt as _};

    use super::*;
    use crate::app::{AppSpec, app};
    use crate::{create, objects, start};

    #[tokio::test(start_paused = true)]
    async fn the_child_appears_when_its_kind_is_installed() {
        let (cluster, _operator) = start(controller());
        create(&cluster, app("a", AppSpec::default())).await;
        let status = objects::<App>(&cluster).get("a").await.unwrap().status;
        assert!(status.unwrap().conditions.is_met("Ready"));

        let crds = Api::<CustomResourceDefinition>::all(cluster.client());
        let params = PostParams::default();
        crds.create(&params, &ServiceMonitor::crd()).await.unwrap();
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert!(objects::<ServiceMonitor>(&cluster).get("a").await.is_ok());
    }
}
