//! `docs/how-to/namespaces.md`.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use rustop_manager::prelude::*;

use crate::app::App;

/// No watch reports changes of the `ConfigMap`, so the operator checks it every minute.
const RECHECK: Duration = Duration::from_secs(60);

// +kubebuilder:rbac:groups=my.domain,resources=apps,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=apps/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get,resourceNames=defaults,namespace=shared
pub fn controller() -> Controller<App> {
    Controller::new(reconcile).conditions(|status| &mut status.conditions)
}

async fn reconcile(_: Arc<App>, ctx: Context<App>) -> Result<Action> {
    // `ctx.api` and `ctx.get` use the namespace of the object; this names another one
    let shared = Api::<ConfigMap>::namespaced(ctx.client().clone(), "shared");
    let ready = if shared.get_opt("defaults").await?.is_some() {
        condition::true_because("Ready", "Configured", "the defaults are set")
    } else {
        condition::false_because("Ready", "NoDefaults", "waits for ConfigMap shared/defaults")
    };
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(Action::requeue(RECHECK))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Namespace;
    use kube::api::PostParams;

    use super::*;
    use crate::app::{AppSpec, app};
    use crate::{create, objects, start};

    #[tokio::test(start_paused = true)]
    async fn an_object_of_another_namespace_is_read() {
        let (cluster, _operator) = start(controller());
        create(&cluster, app("a", AppSpec::default())).await;
        let apps = objects::<App>(&cluster);
        let status = apps.get("a").await.unwrap().status.unwrap();
        assert_eq!(
            status.conditions.of_type("Ready").unwrap().reason,
            "NoDefaults"
        );

        let params = PostParams::default();
        let mut namespace = Namespace::default();
        namespace.metadata.name = Some("shared".to_owned());
        let namespaces = Api::<Namespace>::all(cluster.client());
        namespaces.create(&params, &namespace).await.unwrap();
        let mut defaults = ConfigMap::default();
        defaults.metadata.name = Some("defaults".to_owned());
        let maps = Api::<ConfigMap>::namespaced(cluster.client(), "shared");
        maps.create(&params, &defaults).await.unwrap();
        tokio::time::sleep(RECHECK + Duration::from_secs(1)).await;
        let status = apps.get("a").await.unwrap().status.unwrap();
        assert!(status.conditions.is_met("Ready"));
    }
}
