//! `docs/how-to/secret.md`.

use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt as _;
use rustop_manager::prelude::*;

use crate::app::App;

// +kubebuilder:rbac:groups=my.domain,resources=apps,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=apps/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch
pub fn controller() -> Controller<App> {
    // of each Secret in the cluster, only the metadata
    let secrets = Watch::<Secret>::new().metadata_only();
    Controller::new(reconcile)
        .watches_with_store(secrets, |secret, apps| {
            let name = secret.name_any();
            let namespace = secret.namespace();
            let users = apps.state().into_iter().filter(move |app| {
                app.spec.secret_name.as_ref() == Some(&name) && app.namespace() == namespace
            });
            users
                .map(|app| ObjectRef::from_obj(app.as_ref()))
                .collect::<Vec<_>>()
        })
        .conditions(|status| &mut status.conditions)
}

async fn reconcile(app: Arc<App>, ctx: Context<App>) -> Result<Action> {
    let Some(name) = &app.spec.secret_name else {
        let unset = condition::false_because("Ready", "NoSecret", "spec.secretName is not set");
        ctx.set_status(|status| status.conditions.set(unset));
        return Ok(Action::await_change());
    };
    let secret = ctx.api::<Secret>().get_opt(name).await?;
    let data = secret.and_then(|secret| secret.data).unwrap_or_default();
    let ready = if data.contains_key("password") {
        condition::true_because("Ready", "Configured", "the password is set")
    } else {
        let text = format!("Secret `{name}` has no key `password`");
        condition::false_because("Ready", "NoPassword", text)
    };
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(Action::await_change())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::ByteString;

    use super::*;
    use crate::app::{AppSpec, app};
    use crate::{create, objects, start};

    #[tokio::test(start_paused = true)]
    async fn a_new_secret_reconciles_the_app_that_names_it() {
        let (cluster, _operator) = start(controller());
        let spec = AppSpec {
            secret_name: Some("login".to_owned()),
            ..AppSpec::default()
        };
        create(&cluster, app("a", spec)).await;
        let status = objects::<App>(&cluster)
            .get("a")
            .await
            .unwrap()
            .status
            .unwrap();
        assert_eq!(
            status.conditions.of_type("Ready").unwrap().reason,
            "NoPassword"
        );

        let mut secret = Secret::default();
        secret.metadata.name = Some("login".to_owned());
        secret.data = Some([("password".to_owned(), ByteString(b"moo".to_vec()))].into());
        create(&cluster, secret).await;
        let status = objects::<App>(&cluster)
            .get("a")
            .await
            .unwrap()
            .status
            .unwrap();
        assert!(status.conditions.is_met("Ready"));
    }
}
