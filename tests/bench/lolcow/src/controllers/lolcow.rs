//! Gives each Lolcow a Deployment that shows its greeting and a Service to reach it.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
    time::{Duration, Instant},
};

use api::v1alpha1::lolcow::Lolcow;
use k8s_openapi::{
    api::{
        apps::v1::{Deployment, DeploymentSpec},
        core::v1::{
            Container, ContainerPort, EnvVar, PodSpec, PodTemplateSpec, ResourceRequirements,
            Secret, Service, ServicePort, ServiceSpec,
        },
    },
    apimachinery::pkg::{
        api::resource::Quantity,
        apis::meta::v1::{LabelSelector, ObjectMeta, OwnerReference},
        util::intstr::IntOrString,
    },
};
use kube::{Resource as _, ResourceExt as _};
use rustop_manager::{Action, Conditions as _, Context, Controller, Result, condition};

// What the operator may do. `make manifests` turns these lines into config/rbac/role.yaml.
//
// +kubebuilder:rbac:groups=my.domain,resources=lolcows,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=lolcows/status,verbs=patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

const PORT: i32 = 8080;

/// What is watched, and how many objects are worked on at once.
#[must_use]
pub fn controller() -> Controller<Lolcow> {
    let controller = Controller::new(reconcile)
        .owns::<Deployment>()
        .owns::<Service>()
        .conditions(|status| &mut status.conditions)
        .concurrency(1);
    match std::env::var("SECRETS").as_deref() {
        Ok("named") => {
            controller.refers_to::<Secret>(|lolcow: &Lolcow| [lolcow.spec.greeting.clone()])
        }
        Ok("all") => controller.watches(|_: &Secret| None),
        _ => controller,
    }
}

/// For so long each reconcile computes: `COMPUTE_MS`, none as a rule.
static COMPUTES: LazyLock<Duration> = LazyLock::new(|| {
    let text = std::env::var("COMPUTE_MS").ok();
    let milliseconds = text.and_then(|text| text.parse().ok());
    Duration::from_millis(milliseconds.unwrap_or(0))
});

/// Puts the greeting on show. Every step is safe to repeat.
async fn reconcile(lolcow: Arc<Lolcow>, ctx: Context<Lolcow>) -> Result<Action> {
    let begun = Instant::now();
    while begun.elapsed() < *COMPUTES {
        std::hint::spin_loop();
    }
    let (deployment, service) =
        tokio::join!(ctx.apply(deployment(&lolcow)), ctx.apply(service(&lolcow)));
    (deployment?, service?);

    let ready = condition::true_because("Ready", "Reconciled", "the greeting is on show");
    ctx.set_status(|status| {
        status.observed_generation = lolcow.metadata.generation;
        status.conditions.set(ready);
    });
    Ok(Action::await_change())
}

fn deployment(lolcow: &Lolcow) -> Deployment {
    let env = |name: &str, value: &str| EnvVar {
        name: name.to_owned(),
        value: Some(value.to_owned()),
        ..EnvVar::default()
    };
    let quantities = |cpu: &str, memory: &str| {
        let pair = |name: &str, amount: &str| (name.to_owned(), Quantity(amount.to_owned()));
        Some(BTreeMap::from([pair("cpu", cpu), pair("memory", memory)]))
    };
    let container = Container {
        name: "lolcow".to_owned(),
        image: Some("ghcr.io/lolcow/lolcow:1.0".to_owned()),
        env: Some(vec![
            env("GREETING", &lolcow.spec.greeting),
            env("PORT", &PORT.to_string()),
        ]),
        ports: Some(vec![ContainerPort {
            name: Some("http".to_owned()),
            container_port: PORT,
            ..ContainerPort::default()
        }]),
        resources: Some(ResourceRequirements {
            requests: quantities("10m", "16Mi"),
            limits: quantities("100m", "64Mi"),
            ..ResourceRequirements::default()
        }),
        ..Container::default()
    };
    Deployment {
        metadata: meta(lolcow),
        spec: DeploymentSpec {
            replicas: Some(1),
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
                    containers: vec![container],
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
        metadata: meta(lolcow),
        spec: Some(ServiceSpec {
            selector: Some(labels(lolcow)),
            ports: Some(vec![ServicePort {
                name: Some("http".to_owned()),
                port: 80,
                target_port: Some(IntOrString::String("http".to_owned())),
                ..ServicePort::default()
            }]),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    }
}

fn meta(lolcow: &Lolcow) -> ObjectMeta {
    ObjectMeta {
        name: Some(lolcow.name_any()),
        labels: Some(labels(lolcow)),
        // As controller-runtime sets it, so that a foreground deletion waits for the child.
        owner_references: lolcow.controller_owner_ref(&()).map(|owner| {
            vec![OwnerReference {
                block_owner_deletion: Some(true),
                ..owner
            }]
        }),
        ..ObjectMeta::default()
    }
}

fn labels(lolcow: &Lolcow) -> BTreeMap<String, String> {
    BTreeMap::from([("app.kubernetes.io/instance".to_owned(), lolcow.name_any())])
}
