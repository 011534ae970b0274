//! Gives each Lolcow a Deployment of the page that shows its greeting, and a Service to reach it.

use std::{collections::BTreeMap, sync::Arc};

use api::v1alpha1::lolcow::Lolcow;
use k8s_openapi::{
    api::{
        apps::v1::{Deployment, DeploymentSpec},
        core::v1::{Container, PodSpec, PodTemplateSpec, Service, ServicePort, ServiceSpec},
    },
    apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta},
};
use kube::ResourceExt as _;
use rustop_manager::{Action, Conditions as _, Context, Controller, Result, condition};

// +kubebuilder:rbac:groups=my.domain,resources=lolcows,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=lolcows/status,verbs=patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// A small web page with a cow; its first argument is what the cow says.
const IMAGE: &str = "registry.my.domain/lolcow:v1";
const PAGE_PORT: i32 = 8080;

/// A Lolcow is looked at when it changes and when one of its children does, one Lolcow at a time.
#[must_use]
pub fn controller() -> Controller<Lolcow> {
    Controller::new(reconcile)
        .owns::<Deployment>()
        .owns::<Service>()
        .conditions(|status| &mut status.conditions)
        .concurrency(1)
}

/// Reads the spec and the children, and never the status: what the status says was true once.
async fn reconcile(lolcow: Arc<Lolcow>, ctx: Context<Lolcow>) -> Result<Action> {
    tell_what_changes(&lolcow, &ctx)?;
    // Both children have the Lolcow as their owner: Kubernetes deletes them with it, by itself.
    let deployment = ctx.apply(deployment(&lolcow)).await?;
    ctx.apply(service(&lolcow)).await?;

    let status = deployment.status.as_ref();
    let ready = match status.and_then(|status| status.available_replicas) {
        None | Some(0) => {
            condition::false_because("Ready", "Starting", "the page is not served yet")
        }
        Some(_) => condition::true_because("Ready", "Serving", "the page can be visited"),
    };
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(Action::await_change())
}

/// What is there against what will be. After `apply` the two are the same, so that each change is told
/// once, and none when the operator only starts again.
fn tell_what_changes(lolcow: &Lolcow, ctx: &Context<Lolcow>) -> Result<()> {
    let (name, spec) = (lolcow.name_any(), &lolcow.spec);
    if let Some(live) = ctx.get::<Deployment>(&name)?
        && let Some(old) = greeting(&live)
        && *old != spec.greeting
    {
        tracing::info!(old, new = spec.greeting, "New greeting");
    }
    if let Some(live) = ctx.get::<Service>(&name)?
        && let Some(old) = port(&live)
        && old != spec.port
    {
        tracing::info!(old, new = spec.port, "New port");
    }
    Ok(())
}

fn greeting(live: &Deployment) -> Option<&String> {
    let page = live.spec.template.spec.as_ref()?.containers.first()?;
    page.args.as_ref()?.first()
}

fn port(live: &Service) -> Option<i32> {
    live.spec.as_ref()?.ports.as_ref()?.first()?.node_port
}

/// Only what matters is set; all else is left to the API server's defaults and to others.
fn deployment(lolcow: &Lolcow) -> Deployment {
    let page = Container {
        name: "page".to_owned(),
        image: Some(IMAGE.to_owned()),
        args: Some(vec![lolcow.spec.greeting.clone()]),
        ..Container::default()
    };
    Deployment {
        metadata: named_like(lolcow),
        spec: DeploymentSpec {
            selector: LabelSelector {
                match_labels: Some(labels(lolcow)),
                ..LabelSelector::default()
            },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta {
                    labels: Some(labels(lolcow)),
                    ..ObjectMeta::default()
                }),
                spec: Some(PodSpec {
                    containers: vec![page],
                    ..PodSpec::default()
                }),
            },
            ..DeploymentSpec::default()
        },
        ..Deployment::default()
    }
}

fn service(lolcow: &Lolcow) -> Service {
    Service {
        metadata: named_like(lolcow),
        spec: Some(ServiceSpec {
            type_: Some("NodePort".to_owned()),
            selector: Some(labels(lolcow)),
            ports: Some(vec![ServicePort {
                port: PAGE_PORT,
                node_port: Some(lolcow.spec.port),
                ..ServicePort::default()
            }]),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    }
}

fn named_like(lolcow: &Lolcow) -> ObjectMeta {
    ObjectMeta {
        name: lolcow.metadata.name.clone(),
        ..ObjectMeta::default()
    }
}

/// Two Lolcows side by side must not take each other's Pods.
fn labels(lolcow: &Lolcow) -> BTreeMap<String, String> {
    BTreeMap::from([("lolcow".to_owned(), lolcow.name_any())])
}
