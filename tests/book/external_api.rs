//! `docs/how-to/external-api.md`.

use std::pin::Pin;
use std::time::Duration;

use rustop_manager::prelude::*;

use crate::app::App;

/// The result of a call. A trait object cannot have an `async fn`, so a method returns this boxed future instead.
pub type Call<'a> = Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;

/// The client of the other system.
pub trait Registrar: Send + Sync {
    /// Registers a domain; does nothing if it is registered already.
    fn register<'a>(&'a self, domain: &'a str) -> Call<'a>;
    /// Removes a domain; does nothing if it is not registered.
    fn remove<'a>(&'a self, domain: &'a str) -> Call<'a>;
}

/// The state of the manager: any client.
pub type Shared = Box<dyn Registrar>;

/// No event tells this operator about changes in the other system, so it checks each domain once an hour.
const RECHECK: Duration = Duration::from_secs(3600);

// +kubebuilder:rbac:groups=my.domain,resources=apps,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=my.domain,resources=apps/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
pub fn controller() -> Controller<App> {
    Controller::new(reconcile)
        .requires_state::<Shared>()
        .cleanup("my.domain/registration", cleanup)
        .conditions(|status| &mut status.conditions)
        .concurrency(4)
        .rate_limit(10, Duration::from_millis(200))
        .timeout(Duration::from_secs(30))
}

async fn reconcile(app: Arc<App>, ctx: Context<App>) -> Result<Action> {
    let call = ctx.state::<Shared>()?.register(&app.spec.domain);
    ctx.waiting_for("the registrar", call).await?;
    let ready = condition::true_because("Ready", "Registered", "the domain is registered");
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(Action::requeue(RECHECK))
}

async fn cleanup(app: Arc<App>, ctx: Context<App>) -> Result<()> {
    let call = ctx.state::<Shared>()?.remove(&app.spec.domain);
    ctx.waiting_for("the registrar", call).await
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Mutex;

    use kube::api::DeleteParams;

    use super::*;
    use crate::app::{AppSpec, app};
    use crate::{create, objects, start_with};

    #[derive(Clone, Default)]
    struct Fake(Arc<Mutex<BTreeSet<String>>>);

    impl Registrar for Fake {
        fn register<'a>(&'a self, domain: &'a str) -> Call<'a> {
            Box::pin(async move {
                self.0.lock().unwrap().insert(domain.to_owned());
                Ok(())
            })
        }

        fn remove<'a>(&'a self, domain: &'a str) -> Call<'a> {
            Box::pin(async move {
                self.0.lock().unwrap().remove(domain);
                Ok(())
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_domain_is_checked_every_hour_and_removed_at_the_end() {
        let fake = Fake::default();
        let registrar: Shared = Box::new(fake.clone());
        let (cluster, _operator) =
            start_with(|manager| manager.with_state(registrar).controller(controller()));
        let spec = AppSpec {
            domain: "cow.example".to_owned(),
            ..AppSpec::default()
        };
        create(&cluster, app("a", spec)).await;
        assert!(fake.0.lock().unwrap().contains("cow.example"));

        fake.0.lock().unwrap().clear();
        tokio::time::sleep(RECHECK + Duration::from_secs(1)).await;
        assert!(fake.0.lock().unwrap().contains("cow.example"));

        let apps = objects::<App>(&cluster);
        apps.delete("a", &DeleteParams::default()).await.unwrap();
        cluster.settle().await;
        assert!(fake.0.lock().unwrap().is_empty());
        assert!(apps.get_opt("a").await.unwrap().is_none());
    }
}
