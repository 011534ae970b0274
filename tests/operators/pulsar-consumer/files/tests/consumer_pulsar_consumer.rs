//! Runs the operator against a real API server: `make test`.

#[path = "harness/mod.rs"]
mod harness;

use api::consumer::v1::pulsar_consumer::PulsarConsumer;
use api::consumer::v1::pulsar_consumer::PulsarConsumerSpec;
use kube::api::{DeleteParams, PostParams};
use kube::runtime::wait::await_condition;
use rustop_manager::Conditions as _;

use harness::{Operator, soon};

#[tokio::test]
async fn becomes_ready_and_says_so() {
    let operator = Operator::start().await;

    let name = "test-ready";
    let objects = objects(&operator.client);
    let spec = PulsarConsumerSpec {
        server_address: "pulsar://broker.example.com:6650".to_owned(),
        topic: "orders".to_owned(),
        subscription_name: "test".to_owned(),
        replicas: 1,
    };
    let object = PulsarConsumer::new(name, spec);
    let created = objects.create(&PostParams::default(), &object).await;
    let uid = created.unwrap().metadata.uid.unwrap();

    let ready = await_condition(objects.clone(), name, is_ready);
    soon(ready).await.expect("a watch");
    let event = operator.event_about(&uid).await;
    assert_eq!(event.type_.as_deref(), Some("Normal"), "{event:?}");

    let deleted = objects.delete(name, &DeleteParams::default()).await;
    deleted.unwrap();
    operator.stop().await;
}

/// Where the test's objects live.
fn objects(client: &kube::Client) -> kube::Api<PulsarConsumer> {
    kube::Api::default_namespaced(client.clone())
}

/// Whether the object's condition `Ready` is `True`.
fn is_ready(object: Option<&PulsarConsumer>) -> bool {
    let status = object.and_then(|object| object.status.as_ref());
    status.is_some_and(|status| status.conditions.is_met("Ready"))
}
