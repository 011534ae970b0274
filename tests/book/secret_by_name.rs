//! `docs/how-to/secret.md`.

use k8s_openapi::api::core::v1::Secret;
use rustop_manager::prelude::*;

use crate::app::App;

// +kubebuilder:rbac:groups=my.domain,resources=apps,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=apps/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch
pub fn controller() -> Controller<App> {
    Controller::new(reconcile)
        .refers_to::<Secret>(|app: &App| app.spec.secret_name.clone())
        .conditions(|status| &mut status.conditions)
}

async fn reconcile(app: Arc<App>, ctx: Context<App>) -> Result<Action> {
    let Some(name) = &app.spec.secret_name else {
        let unset = condition::false_because("Ready", "NoSecret", "spec.secretName is not set");
        ctx.set_status(|status| status.conditions.set(unset));
        return Ok(Action::await_change());
    };
    let secret = ctx.get::<Secret>(name)?;
    let has_password = secret
        .and_then(|secret| Some(secret.data.as_ref()?.contains_key("password")))
        .unwrap_or_default();
    let ready = if has_password {
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
