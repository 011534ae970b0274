//! Runs the operator against a real API server: `make test`.

#[path = "harness/mod.rs"]
mod harness;

use api::web::v1alpha1::page::Page;
use api::web::v1alpha1::page::PageSpec;
use k8s_openapi::api::apps::v1 as appsv1;
use kube::runtime::wait::await_condition;
use rustop_manager::Conditions as _;

use harness::soon;

#[tokio::test]
async fn becomes_ready_and_follows_the_spec() {
    let operator = harness::Operator::start().await;

    let name = "test-ready";
    let objects = objects(&operator.client);
    let mut spec = PageSpec::default();
    let object = Page::new(name, spec.clone());
    let created = objects
        .create(&kube::api::PostParams::default(), &object)
        .await
        .unwrap();
    let uid = created.metadata.uid.unwrap();
    let one = await_condition(objects.clone(), name, has_ready(1));
    soon(one).await.expect("a watch");
    let event = operator.event_about(&uid).await;
    assert_eq!(event.type_.as_deref(), Some("Normal"), "{event:?}");

    spec.replicas = 2;
    let object = Page::new(name, spec);
    let change = kube::api::Patch::Merge(object);
    objects
        .patch(name, &kube::api::PatchParams::default(), &change)
        .await
        .unwrap();
    let two = await_condition(objects.clone(), name, has_ready(2));
    soon(two).await.expect("a watch");
    let deployments = kube::Api::<appsv1::Deployment>::default_namespaced(operator.client.clone());
    let deployment = deployments.get(name).await.unwrap();
    assert_eq!(deployment.spec.replicas, Some(2));

    objects
        .delete(name, &kube::api::DeleteParams::default())
        .await
        .unwrap();
    operator.stop().await;
}

#[tokio::test]
async fn rejects_an_image_without_a_tag() {
    let client = kube::Client::try_default().await;
    let client = client.expect("these tests need an API server: make test");
    harness::install_crds(&client).await;
    let spec = PageSpec {
        image: "localhost:5000/cow".to_owned(),
        ..Default::default()
    };
    let object = Page::new("test-refused", spec);
    let rejection = objects(&client)
        .create(&kube::api::PostParams::default(), &object)
        .await
        .unwrap_err()
        .to_string();
    assert!(
        rejection.contains("must name a tag or a digest"),
        "{rejection}"
    );
}

/// Returns the API for the test's objects.
fn objects(client: &kube::Client) -> kube::Api<Page> {
    kube::Api::default_namespaced(client.clone())
}

/// Returns a predicate that is true when this number of Pods is available and `Ready` is `True`.
fn has_ready(pods: i32) -> impl Fn(Option<&Page>) -> bool {
    move |object| {
        let status = object.and_then(|object| object.status.as_ref());
        status.is_some_and(|status| {
            status.available_replicas == pods && status.conditions.is_met("Ready")
        })
    }
}
