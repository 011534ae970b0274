//! `docs/how-to/namespaces.md`.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, ResourceExt as _};
use rustop_manager::prelude::*;

use crate::app::App;

pub fn controller() -> Controller<App> {
    Controller::new(reconcile).conditions(|status| &mut status.conditions)
}

async fn reconcile(app: Arc<App>, ctx: Context<App>) -> Result<Action> {
    // `ctx.api` and `ctx.get` use the namespace of the object; this names another one
    let shared = Api::<ConfigMap>::namespaced(ctx.client().clone(), "shared");
    if shared.get_opt("defaults").await?.is_none() {
        let text = format!("App {} needs ConfigMap shared/defaults", app.name_any());
        return Err(Error::new("NoDefaults", text));
    }
    let ready = condition::true_because("Ready", "Configured", "the defaults are set");
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(Action::await_change())
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
        // a failed reconcile is repeated after at most five minutes
        tokio::time::sleep(std::time::Duration::from_secs(300)).await;
        let status = apps.get("a").await.unwrap().status.unwrap();
        assert!(status.conditions.is_met("Ready"));
    }
}
