//! The controller of Page: creates a Deployment and a Service for each object, and reports their state.

use std::collections::BTreeMap;

use api::web::v1alpha1::page::Page;
use k8s_openapi::api::apps::v1 as appsv1;
use k8s_openapi::api::core::v1 as corev1;
use k8s_openapi::apimachinery::pkg::apis::meta::v1 as metav1;
use kube::ResourceExt as _;
use rustop_manager::prelude::*;

// Permissions of the operator. `make manifests` turns these markers into config/rbac/role.yaml.
//
// +kubebuilder:rbac:groups=web.my.domain,resources=pages,verbs=get;list;watch
// +kubebuilder:rbac:groups=web.my.domain,resources=pages/status,verbs=patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// The name of the container, and the value of a label of its Pods.
const NAME: &str = "page";

/// Configures the controller: a change of a Deployment or a Service reconciles its owner, and one
/// object is reconciled at a time.
#[must_use]
pub fn controller() -> Controller<Page> {
    Controller::new(reconcile)
        .with_name("web-page")
        .owns::<appsv1::Deployment>()
        .owns::<corev1::Service>()
        .conditions(|status| &mut status.conditions)
        .concurrency(1)
}

/// Applies both children and reports their progress. Runs again whenever one of the three changes. An
/// `Err` sets the condition `Ready=False`, is published as an event, and the reconcile is retried with
/// backoff.
async fn reconcile(page: Arc<Page>, ctx: Context<Page>) -> Result<Action> {
    // Both get an owner reference, so Kubernetes deletes them with their owner.
    let deployment = ctx.apply(deployment(&page)).await?;
    ctx.apply(service(&page)).await?;

    let seen = deployment.status.clone().unwrap_or_default();
    let available = seen.available_replicas.unwrap_or(0);
    let ready = match ready(deployment.as_ref()) {
        Ok(()) => condition::true_because("Ready", "Available", format!("{available} available")),
        Err(why) => condition::false_because("Ready", "Progressing", why),
    };
    let labels = labels(&page.name_any());
    let labels = labels.iter().map(|(key, value)| format!("{key}={value}"));
    let selector = labels.collect::<Vec<_>>().join(",");
    ctx.set_status(|status| {
        status.observed_generation = page.metadata.generation;
        status.replicas = seen.replicas.unwrap_or(0);
        status.available_replicas = available;
        status.selector = selector;
        status.conditions.set(ready);
    });
    Ok(Action::await_change())
}

/// Returns the desired Deployment. Fields that are not set here keep the API server's defaults and the values of
/// other clients.
fn deployment(page: &Page) -> appsv1::Deployment {
    let name = page.name_any();
    let spec = &page.spec;
    appsv1::Deployment {
        metadata: called(&name),
        spec: appsv1::DeploymentSpec {
            replicas: Some(spec.replicas),
            selector: metav1::LabelSelector {
                match_labels: Some(labels(&name)),
                ..Default::default()
            },
            template: corev1::PodTemplateSpec {
                metadata: Some(metav1::ObjectMeta {
                    labels: Some(labels(&name)),
                    ..Default::default()
                }),
                spec: Some(pod(&spec.image, spec.container_port)),
            },
            ..Default::default()
        },
        ..Default::default()
    }
}

/// Returns a Pod that meets the Pod security standard `baseline`. The standard `restricted` also
/// requires a user other than root and no capabilities, which not every image supports.
fn pod(image: &str, port: i32) -> corev1::PodSpec {
    let container = corev1::Container {
        name: NAME.to_owned(),
        image: Some(image.to_owned()),
        ports: Some(vec![corev1::ContainerPort {
            container_port: port,
            ..Default::default()
        }]),
        security_context: Some(corev1::SecurityContext {
            allow_privilege_escalation: Some(false),
            ..Default::default()
        }),
        ..Default::default()
    };
    corev1::PodSpec {
        containers: vec![container],
        security_context: Some(corev1::PodSecurityContext {
            seccomp_profile: Some(corev1::SeccompProfile {
                type_: "RuntimeDefault".to_owned(),
                ..Default::default()
            }),
            ..Default::default()
        }),
        ..Default::default()
    }
}

fn service(page: &Page) -> corev1::Service {
    let name = page.name_any();
    corev1::Service {
        metadata: called(&name),
        spec: Some(corev1::ServiceSpec {
            selector: Some(labels(&name)),
            ports: Some(vec![corev1::ServicePort {
                port: page.spec.container_port,
                ..Default::default()
            }]),
            ..Default::default()
        }),
        ..Default::default()
    }
}

fn called(name: &str) -> metav1::ObjectMeta {
    metav1::ObjectMeta {
        name: Some(name.to_owned()),
        ..Default::default()
    }
}

/// Returns the labels that select the Pods of one Page. The selector of a Deployment is immutable.
fn labels(name: &str) -> BTreeMap<String, String> {
    let labels = [
        ("app.kubernetes.io/instance", name),
        ("app.kubernetes.io/name", NAME),
    ];
    BTreeMap::from(labels.map(|(key, value)| (key.to_owned(), value.to_owned())))
}

#[cfg(test)]
mod tests {
    use api::web::v1alpha1::page::PageSpec;
    use rustop_manager::testing;

    use super::*;

    /// Runs on the in-memory API server, in milliseconds: `cargo test --lib`. No Pod runs there, so the
    /// test writes the status that the Deployment controller would.
    #[tokio::test(start_paused = true)]
    async fn is_ready_when_all_pods_are() {
        let cluster = testing::Cluster::new().with(api::crds().unwrap());
        let manager = Manager::new("test", "0", Options::default());
        let _operator = cluster.run(manager.controller(controller()));

        let objects = kube::Api::default_namespaced(cluster.client());
        let spec = PageSpec::default();
        let object = Page::new("test", spec);
        objects
            .create(&kube::api::PostParams::default(), &object)
            .await
            .unwrap();
        cluster.settle().await;
        let status = objects.get("test").await.unwrap().status.unwrap();
        assert!(!status.conditions.is_met("Ready"));

        let deployments = kube::Api::<appsv1::Deployment>::default_namespaced(cluster.client());
        let mut deployment = deployments.get("test").await.unwrap();
        deployment.status = Some(appsv1::DeploymentStatus {
            available_replicas: Some(1),
            observed_generation: deployment.metadata.generation,
            replicas: Some(1),
            updated_replicas: Some(1),
            ..Default::default()
        });
        deployments
            .replace_status("test", &kube::api::PostParams::default(), &deployment)
            .await
            .unwrap();
        cluster.settle().await;
        let status = objects.get("test").await.unwrap().status.unwrap();
        assert!(status.conditions.is_met("Ready"));
        assert_eq!(status.available_replicas, 1);
    }

    /// A user who may create a Page cannot take over an existing Service with the same name.
    #[tokio::test(start_paused = true)]
    async fn leaves_a_foreign_service_alone() {
        let cluster = testing::Cluster::new().with(api::crds().unwrap());
        let services = kube::Api::default_namespaced(cluster.client());
        let params = kube::api::PostParams::default();
        let foreign = corev1::Service {
            metadata: called("test"),
            ..Default::default()
        };
        let foreign = services.create(&params, &foreign).await.unwrap();
        let manager = Manager::new("test", "0", Options::default());
        let _operator = cluster.run(manager.controller(controller()));

        let objects = kube::Api::default_namespaced(cluster.client());
        let spec = PageSpec::default();
        let object = Page::new("test", spec);
        objects.create(&params, &object).await.unwrap();
        tokio::time::sleep(std::time::Duration::from_secs(10)).await;
        let object = objects.get("test").await.unwrap();
        let conditions = object.status.unwrap().conditions;
        assert_eq!(conditions.of_type("Ready").unwrap().reason, "NotOwned");

        let deletion = kube::api::DeleteParams::default();
        objects.delete("test", &deletion).await.unwrap();
        cluster.settle().await;
        assert_eq!(services.get("test").await.unwrap(), foreign);
    }
}
