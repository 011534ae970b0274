//! Gives each PulsarConsumer a Deployment of consumers, and reports what became of it.

use std::{collections::BTreeMap, sync::Arc};

use api::consumer::v1::pulsar_consumer::PulsarConsumer;
use k8s_openapi::{
    api::{
        apps::v1::{Deployment, DeploymentSpec},
        core::v1::{Container, EnvVar, PodSpec, PodTemplateSpec, ResourceRequirements},
    },
    apimachinery::pkg::{
        api::resource::Quantity,
        apis::meta::v1::{LabelSelector, ObjectMeta},
    },
};
use kube::ResourceExt as _;
use rustop_manager::{Action, Conditions as _, Context, Controller, Result, condition};

// +kubebuilder:rbac:groups=consumer.pulsarconsumer.krvarma.com,resources=pulsarconsumers,verbs=get;list;watch
// +kubebuilder:rbac:groups=consumer.pulsarconsumer.krvarma.com,resources=pulsarconsumers/status,verbs=patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

const IMAGE: &str = "registry.my.domain/pulsar-consumer:v1";
const LABEL: &str = "pulsar-consumer";

/// Of the changes of a PulsarConsumer only those of its spec matter: they alone raise the generation.
#[must_use]
pub fn controller() -> Controller<PulsarConsumer> {
    Controller::new(reconcile)
        .owns::<Deployment>()
        .predicate(|before, now| before.metadata.generation != now.metadata.generation)
        .conditions(|status| &mut status.conditions)
        .concurrency(2)
}

async fn reconcile(consumer: Arc<PulsarConsumer>, ctx: Context<PulsarConsumer>) -> Result<Action> {
    // The live Deployment has fifty fields that nobody here set: the API server's defaults. A comparison
    // of the two as wholes finds a difference every time, and updates for ever. `apply` compares what
    // was set, and nothing else.
    let deployment = ctx.apply(deployment(&consumer)).await?;

    // The status mirrors what is observed, not what was asked for.
    let seen = deployment.status.clone().unwrap_or_default();
    let available = seen.available_replicas.unwrap_or(0);
    let text = format!(
        "{available} of {} consumers consume",
        consumer.spec.replicas
    );
    let ready = if rustop_manager::ready(deployment.as_ref()).is_ok() {
        condition::true_because("Ready", "Consuming", text)
    } else {
        condition::false_because("Ready", "Starting", text)
    };
    ctx.set_status(|status| {
        status.replicas = seen.replicas.unwrap_or(0);
        status.available_replicas = available;
        status.selector = format!("{LABEL}={}", consumer.name_any());
        status.conditions.set(ready);
    });
    Ok(Action::await_change())
}

/// What a consumer needs to know is in its environment.
fn deployment(consumer: &PulsarConsumer) -> Deployment {
    let spec = &consumer.spec;
    let labels = BTreeMap::from([(LABEL.to_owned(), consumer.name_any())]);
    let container = Container {
        name: "consumer".to_owned(),
        image: Some(IMAGE.to_owned()),
        env: Some(vec![
            variable("SERVER_ADDRESS", &spec.server_address),
            variable("TOPIC", &spec.topic),
            variable("SUBSCRIPTION_NAME", &spec.subscription_name),
        ]),
        // The API server writes `500m` here. It is the same, and `apply` knows.
        resources: Some(ResourceRequirements {
            limits: Some([("cpu".to_owned(), Quantity("0.5".to_owned()))].into()),
            ..ResourceRequirements::default()
        }),
        ..Container::default()
    };
    Deployment {
        metadata: ObjectMeta {
            name: consumer.metadata.name.clone(),
            ..ObjectMeta::default()
        },
        spec: DeploymentSpec {
            replicas: Some(spec.replicas),
            selector: LabelSelector {
                match_labels: Some(labels.clone()),
                ..LabelSelector::default()
            },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta {
                    labels: Some(labels),
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

fn variable(name: &str, value: &str) -> EnvVar {
    EnvVar {
        name: name.to_owned(),
        value: Some(value.to_owned()),
        ..EnvVar::default()
    }
}
