//! Runs the operator against a real API server: `make test`.

#[path = "harness/mod.rs"]
mod harness;

use api::air::v1::ship::Ship;
use api::air::v1::ship::ShipSpec;
use kube::runtime::wait::await_condition;
use rustop_manager::Conditions as _;

use harness::soon;

#[tokio::test]
async fn becomes_ready_and_says_so() {
    let operator = harness::Operator::start().await;

    let name = "test-ready";
    let objects = objects(&operator.client);
    let spec = ShipSpec::default();
    let object = Ship::new(name, spec);
    let created = objects
        .create(&kube::api::PostParams::default(), &object)
        .await
        .unwrap();
    let uid = created.metadata.uid.unwrap();

    let ready = await_condition(objects.clone(), name, is_ready);
    soon(ready).await.expect("a watch");
    // TODO(user): check the objects that the operator creates (book: docs/tutorial/testing.md).
    let event = operator.event_about(&uid).await;
    assert_eq!(event.type_.as_deref(), Some("Normal"), "{event:?}");

    objects
        .delete(name, &kube::api::DeleteParams::default())
        .await
        .unwrap();
    operator.stop().await;
}

/// Returns the API for the test's objects.
fn objects(client: &kube::Client) -> kube::Api<Ship> {
    kube::Api::default_namespaced(client.clone())
}

/// Reports whether the object's condition `Ready` is `True`.
fn is_ready(object: Option<&Ship>) -> bool {
    let status = object.and_then(|object| object.status.as_ref());
    status.is_some_and(|status| status.conditions.is_met("Ready"))
}
