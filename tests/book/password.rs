//! `docs/how-to/password.md`.

use std::fs::File;
use std::io::Read as _;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt as _;
use rustop_manager::prelude::*;

use crate::app::App;

// +kubebuilder:rbac:groups=my.domain,resources=apps,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=apps/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create
pub fn controller() -> Controller<App> {
    Controller::new(reconcile)
        .owns_matching(Watch::<Secret>::new().applied())
        .conditions(|status| &mut status.conditions)
}

async fn reconcile(app: Arc<App>, ctx: Context<App>) -> Result<Action> {
    let name = format!("{}-password", app.name_any());
    let secrets = ctx.children::<Secret>()?;
    if !secrets.iter().any(|secret| secret.name_any() == name) {
        // fails with `AlreadyExists` if the Secret exists, and never overwrites it
        ctx.create(secret(name, password()?)).await?;
    }
    let ready = condition::true_because("Ready", "Configured", "the password exists");
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(Action::await_change())
}

fn secret(name: String, password: String) -> Secret {
    let mut secret = Secret::default();
    secret.metadata.name = Some(name);
    secret.data = Some([("password".to_owned(), ByteString(password.into_bytes()))].into());
    // the API server rejects every later change of the data
    secret.immutable = Some(true);
    secret
}

/// Returns 128 random bits of the operating system, as 32 characters.
fn password() -> Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use kube::api::{DeleteParams, PostParams};

    use super::*;
    use crate::app::{AppSpec, app};
    use crate::{create, objects, start};

    #[tokio::test(start_paused = true)]
    async fn the_password_is_generated_once() {
        let (cluster, _operator) = start(controller());
        create(&cluster, app("a", AppSpec::default())).await;
        let secrets = objects::<Secret>(&cluster);
        let first = secrets.get("a-password").await.unwrap().data.unwrap();
        assert_eq!(first["password"].0.len(), 32);

        let apps = objects::<App>(&cluster);
        let mut changed = apps.get("a").await.unwrap();
        changed.spec.domain = "cow.example".to_owned();
        apps.replace("a", &PostParams::default(), &changed)
            .await
            .unwrap();
        cluster.settle().await;
        let second = secrets.get("a-password").await.unwrap().data.unwrap();
        assert_eq!(first, second);

        secrets
            .delete("a-password", &DeleteParams::default())
            .await
            .unwrap();
        cluster.settle().await;
        let third = secrets.get("a-password").await.unwrap().data.unwrap();
        assert_ne!(first, third);
    }

    #[tokio::test(start_paused = true)]
    async fn a_secret_of_another_user_stays_as_it_is() {
        let (cluster, _operator) = start(controller());
        let foreign = secret("a-password".to_owned(), "moo".to_owned());
        create(&cluster, foreign).await;
        create(&cluster, app("a", AppSpec::default())).await;
        let found = objects::<Secret>(&cluster).get("a-password").await.unwrap();
        assert_eq!(found.data.unwrap()["password"].0, b"moo");
        let status = objects::<App>(&cluster).get("a").await.unwrap().status;
        let conditions = status.unwrap().conditions;
        assert_eq!(conditions.of_type("Ready").unwrap().reason, "AlreadyExists");
    }
}
