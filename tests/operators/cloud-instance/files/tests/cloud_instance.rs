//! Runs the operator against a real API server: `make test`.

#[path = "harness/mod.rs"]
mod harness;

use api::cloud::v1alpha1::instance::Instance;
use api::cloud::v1alpha1::instance::InstanceSpec;
use kube::api::PostParams;
use kube::runtime::wait::await_condition;
use rustop_manager::Conditions as _;

use harness::{Operator, soon};

#[tokio::test]
async fn says_that_there_is_no_cloud() {
    let operator = Operator::start().await;

    let name = "test-cloudless";
    let objects = objects(&operator.client);
    let spec = InstanceSpec {
        size: "small".to_owned(),
    };
    let object = Instance::new(name, spec);
    let created = objects.create(&PostParams::default(), &object).await;
    let uid = created.unwrap().metadata.uid.unwrap();

    // Nobody listens where the cloud should be. The Instance cannot be deleted either: it goes when its
    // machine is given back, and here it goes with the cluster.
    let told = await_condition(objects.clone(), name, is_cloudless);
    soon(told).await.expect("a watch");
    let event = operator.event_about(&uid).await;
    assert_eq!(event.type_.as_deref(), Some("Warning"), "{event:?}");

    operator.stop().await;
}

/// Where the test's objects live.
fn objects(client: &kube::Client) -> kube::Api<Instance> {
    kube::Api::default_namespaced(client.clone())
}

/// Whether the object's condition `Ready` says that the cloud cannot be reached.
fn is_cloudless(object: Option<&Instance>) -> bool {
    let status = object.and_then(|object| object.status.as_ref());
    let ready = status.and_then(|status| status.conditions.of_type("Ready"));
    ready.is_some_and(|ready| ready.reason == "CloudUnreachable")
}
