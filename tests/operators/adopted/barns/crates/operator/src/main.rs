//! Gives each barn a Service, and removes the Secret of earlier versions.

mod apply;

use std::sync::Arc;
use std::time::Duration;

use apply::apply;
use barn_api::Barn;
use futures::StreamExt as _;
use k8s_openapi::api::core::v1::{Secret, Service, ServicePort, ServiceSpec};
use kube::api::{Api, DeleteParams, Patch, PatchParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::watcher;
use kube::{Client, Resource as _, ResourceExt as _};
use serde_json::json;

#[tokio::main]
async fn main() {
    let client = Client::try_default().await.unwrap();
    Controller::new(Api::<Barn>::all(client.clone()), watcher::Config::default())
        .owns(
            Api::<Service>::all(client.clone()),
            watcher::Config::default(),
        )
        .shutdown_on_signal()
        .run(reconcile, |_, error, _| retry(error), Arc::new(client))
        .for_each(|_| std::future::ready(()))
        .await;
}

fn retry(error: &kube::Error) -> Action {
    eprintln!("error: {error}");
    Action::requeue(Duration::from_secs(1))
}

async fn reconcile(barn: Arc<Barn>, client: Arc<Client>) -> Result<Action, kube::Error> {
    let client = Client::clone(&client);
    if barn.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let namespace = barn.namespace().unwrap_or_default();
    let ports = barn.spec.doors.iter().map(|port| ServicePort {
        name: Some(format!("door-{port}")),
        port: *port,
        ..ServicePort::default()
    });
    let mut service = Service {
        spec: Some(ServiceSpec {
            ports: Some(ports.collect()),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    };
    service.metadata.name = Some(barn.name_any());
    service.metadata.owner_references = barn.controller_owner_ref(&()).map(|owner| vec![owner]);
    apply!(Service, client, &namespace, service)?;
    // Earlier versions kept the doors in a Secret. A failure is only logged.
    let secrets = Api::<Secret>::namespaced(client.clone(), &namespace);
    let old = secrets
        .delete(&barn.name_any(), &DeleteParams::default())
        .await;
    if let Err(error) = old {
        eprintln!("cannot delete the old Secret: {error}");
    }
    let is_ready = barn.status.as_ref().is_some_and(|status| {
        let mut conditions = status.conditions.iter();
        conditions.any(|it| it.observed_generation == barn.metadata.generation)
    });
    if !is_ready {
        let patch = json!({ "status": { "conditions": [{
            "type": "Ready", "status": "True", "reason": "Served", "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
            "observedGeneration": barn.metadata.generation,
        }] } });
        Api::<Barn>::namespaced(client, &namespace)
            .patch_status(
                &barn.name_any(),
                &PatchParams::default(),
                &Patch::Merge(&patch),
            )
            .await?;
    }
    Ok(Action::await_change())
}
