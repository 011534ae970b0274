//! Gives each Lolcow a Deployment, with no permission to.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::v1alpha1::lolcow::Lolcow;
use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{Container, PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use rustop_manager::{Conditions as _, condition};

// +kubebuilder:rbac:groups=my.domain,resources=lolcows,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=lolcows/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// MARKERS

pub fn controller() -> rustop_manager::Controller<Lolcow> {
    rustop_manager::Controller::new(reconcile)
        .owns::<Deployment>()
        .conditions(|status| &mut status.conditions)
        .concurrency(1)
}

async fn reconcile(lolcow: Arc<Lolcow>, ctx: rustop_manager::Context<Lolcow>) -> rustop_manager::Result<rustop_manager::Action> {
    let deployment = ctx.apply(deployment(&lolcow)).await?;
    let available = deployment.status.as_ref().and_then(|status| status.available_replicas).unwrap_or(0);
    let ready = match available {
        0 => condition::false_because("Ready", "Starting", "waiting for the first replica"),
        _ => condition::true_because("Ready", "Serving", "a replica is available"),
    };
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(rustop_manager::Action::await_change())
}

fn deployment(lolcow: &Lolcow) -> Deployment {
    let labels = BTreeMap::from([("lolcow".to_owned(), lolcow.metadata.name.clone().unwrap_or_default())]);
    let container = Container { name: "cow".to_owned(), image: Some("cow:v1".to_owned()), ..Container::default() };
    Deployment {
        metadata: ObjectMeta { name: lolcow.metadata.name.clone(), ..ObjectMeta::default() },
        spec: DeploymentSpec {
            selector: LabelSelector { match_labels: Some(labels.clone()), ..LabelSelector::default() },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta { labels: Some(labels), ..ObjectMeta::default() }),
                spec: Some(PodSpec { containers: vec![container], ..PodSpec::default() }),
            },
            ..DeploymentSpec::default()
        },
        ..Deployment::default()
    }
}
