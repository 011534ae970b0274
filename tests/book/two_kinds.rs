//! `docs/how-to/two-kinds.md`.

use kube::{CustomResource, ResourceExt as _};
use rustop_manager::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[kube(
    group = "my.domain",
    version = "v1",
    kind = "Domain",
    namespaced,
    status = "DomainStatus"
)]
pub struct DomainSpec {}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
pub struct DomainStatus {
    /// The number of Apps that name this Domain.
    pub apps: i32,
}

/// A change of a Domain reconciles the Apps that name it.
// +kubebuilder:rbac:groups=my.domain,resources=apps;domains,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=apps/status;domains/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
pub fn apps() -> Controller<App> {
    Controller::new(reconcile_app)
        .watches_with_store(Watch::<Domain>::new(), |domain, apps| {
            let (name, namespace) = (domain.name_any(), domain.namespace());
            let users = apps
                .state()
                .into_iter()
                .filter(move |app| app.spec.domain == name && app.namespace() == namespace);
            users
                .map(|app| ObjectRef::from_obj(app.as_ref()))
                .collect::<Vec<_>>()
        })
        .conditions(|status| &mut status.conditions)
}

/// A change of an App reconciles the Domain that it names, and the one that it named before.
pub fn domains() -> Controller<Domain> {
    Controller::new(reconcile_domain)
        .watches(|app: &App| {
            let namespace = app.metadata.namespace.as_deref()?;
            Some(ObjectRef::new(&app.spec.domain).within(namespace))
        })
        .indexed_by("domain", |app: &App| Some(app.spec.domain.clone()))
}

async fn reconcile_app(app: Arc<App>, ctx: Context<App>) -> Result<Action> {
    let domain = &app.spec.domain;
    let ready = if ctx.get::<Domain>(domain)?.is_some() {
        condition::true_because("Ready", "Configured", "the domain exists")
    } else {
        let text = format!("waits for Domain {domain}");
        condition::false_because("Ready", "NoDomain", text)
    };
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(Action::await_change())
}

async fn reconcile_domain(domain: Arc<Domain>, ctx: Context<Domain>) -> Result<Action> {
    // the index covers all namespaces
    let users = ctx.by_index::<App>("domain", &domain.name_any())?;
    let apps = users
        .iter()
        .filter(|app| app.namespace() == domain.namespace())
        .count();
    let apps = i32::try_from(apps).unwrap_or(i32::MAX);
    ctx.set_status(|status| status.apps = apps);
    Ok(Action::await_change())
}

#[cfg(test)]
mod tests {
    use kube::CustomResourceExt as _;
    use kube::api::DeleteParams;
    use rustop_manager::testing::Cluster;

    use super::*;
    use crate::app::{AppSpec, app, crd};
    use crate::{create, objects};

    #[tokio::test(start_paused = true)]
    async fn each_kind_follows_the_other() {
        let cluster = Cluster::new().with([crd(), Domain::crd()]);
        let manager = Manager::new("app-operator", "0", Options::default());
        let _operator = cluster.run(manager.controller(apps()).controller(domains()));
        let spec = AppSpec {
            domain: "cow".to_owned(),
            ..AppSpec::default()
        };
        create(&cluster, app("a", spec)).await;
        let apps = objects::<App>(&cluster);
        let status = apps.get("a").await.unwrap().status.unwrap();
        assert!(!status.conditions.is_met("Ready"));

        create(&cluster, Domain::new("cow", DomainSpec {})).await;
        let status = apps.get("a").await.unwrap().status.unwrap();
        assert!(status.conditions.is_met("Ready"));
        let domains = objects::<Domain>(&cluster);
        let status = domains.get("cow").await.unwrap().status.unwrap();
        assert_eq!(status.apps, 1);

        apps.delete("a", &DeleteParams::default()).await.unwrap();
        cluster.settle().await;
        let status = domains.get("cow").await.unwrap().status.unwrap();
        assert_eq!(status.apps, 0);
    }
}
