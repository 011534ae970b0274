//! Does what the message of a Lolcow says, each time something that goes wrong.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use api::v1alpha1::lolcow::Lolcow;
use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{ConfigMap, Container, PodSpec, PodTemplateSpec, Service};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use rustop_manager::{Action, Conditions as _, Context, condition};

// +kubebuilder:rbac:groups=my.domain,resources=lolcows,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=my.domain,resources=lolcows/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch

pub fn controller() -> rustop_manager::Controller<Lolcow> {
    rustop_manager::Controller::new(reconcile)
        .owns::<Deployment>()
        .owns::<ConfigMap>()
        .conditions(|status| &mut status.conditions)
        .cleanup("my.domain/account", cleanup)
}

async fn reconcile(lolcow: Arc<Lolcow>, ctx: Context<Lolcow>) -> rustop_manager::Result<Action> {
    let metadata = ObjectMeta { name: lolcow.metadata.name.clone(), ..ObjectMeta::default() };
    let labels = BTreeMap::from([("lolcow".to_owned(), metadata.name.clone().unwrap_or_default())]);
    let mut ready = condition::true_because("Ready", "Mooing", "as the spec asks for");
    let mut action = Action::await_change();
    match lolcow.spec.message.as_deref() {
        Some("permission") => drop(ctx.apply(Service { metadata, ..Service::default() }).await?),
        Some("image") => {
            let deployment = ctx.apply(deployment(metadata, labels)).await?;
            let available = deployment.status.as_ref().and_then(|status| status.available_replicas);
            if available.is_none() {
                ready = condition::false_because("Ready", "Starting", "waiting for the first replica");
            }
        }
        Some("loop") => {
            tokio::time::sleep(Duration::from_millis(50)).await;
            action = Action::requeue(Duration::ZERO);
        }
        Some("webhook") => {
            let metadata = ObjectMeta { labels: Some(labels), ..metadata };
            ctx.apply(ConfigMap { metadata, ..ConfigMap::default() }).await?;
        }
        _ => {}
    }
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(action)
}

async fn cleanup(lolcow: Arc<Lolcow>, _: Context<Lolcow>) -> rustop_manager::Result<()> {
    match lolcow.spec.message.as_deref() {
        Some("finalizer") => Err(rustop_manager::Error::new("NoAnswer", "the bank does not answer")),
        _ => Ok(()),
    }
}

/// On a node that has no kubelet: whoever tests plays its part.
fn deployment(metadata: ObjectMeta, labels: BTreeMap<String, String>) -> Deployment {
    let container = Container { name: "cow".to_owned(), image: Some("cow:v9".to_owned()), ..Container::default() };
    let pod = PodSpec { containers: vec![container], node_name: Some("pasture".to_owned()), ..PodSpec::default() };
    Deployment {
        metadata,
        spec: DeploymentSpec {
            selector: LabelSelector { match_labels: Some(labels.clone()), ..LabelSelector::default() },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta { labels: Some(labels), ..ObjectMeta::default() }),
                spec: Some(pod),
            },
            ..DeploymentSpec::default()
        },
        ..Deployment::default()
    }
}
