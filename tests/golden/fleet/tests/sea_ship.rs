//! Runs the operator against a real API server: `make test`.

use api::sea::v1::ship::Ship;
use api::sea::v1::ship::ShipSpec;
use k8s_openapi::api::events::v1 as events;
use kube::runtime::wait::{await_condition, conditions};
use manager::Conditions as _;

/// How long anything may take that should happen at once.
const SOON: std::time::Duration = std::time::Duration::from_secs(30);

/// How long is waited before one asks again.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

#[tokio::test]
async fn becomes_ready_and_says_so() {
    let client = kube::Client::try_default().await;
    let client = client.expect("these tests need an API server: make test");
    install_crds(&client).await;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let operator = tokio::spawn(operator().run_until(async { drop(stopped.await) }));

    let name = "test-ready";
    let objects = objects(&client);
    let spec = ShipSpec::default();
    let object = Ship::new(name, spec);
    let params = kube::api::PostParams::default();
    let created = objects.create(&params, &object).await;
    let uid = created.unwrap().metadata.uid.unwrap();

    let ready = await_condition(objects.clone(), name, is_ready);
    let ready = tokio::time::timeout(SOON, ready).await;
    ready.expect("in time").expect("a watch");
    let event = event_about(&client, &uid).await;
    assert_eq!(event.type_.as_deref(), Some("Normal"), "{event:?}");

    let params = kube::api::DeleteParams::default();
    let deleted = objects.delete(name, &params).await;
    deleted.unwrap();
    stop.send(()).unwrap();
    operator.await.unwrap().unwrap();
}

/// The operator as `main` runs it, with no servers and all namespaces.
fn operator() -> manager::Manager {
    let manager = manager::Manager::new("test", "0", manager::Options::default());
    fleet_operator::controllers::register(manager)
}

/// Where the test's objects live.
fn objects(client: &kube::Client) -> kube::Api<Ship> {
    kube::Api::default_namespaced(client.clone())
}

/// Whether the object's condition `Ready` is `True`.
fn is_ready(object: Option<&Ship>) -> bool {
    let status = object.and_then(|object| object.status.as_ref());
    status.is_some_and(|status| status.conditions.is_met("Ready"))
}

/// The event that tells of the change; it is published a moment after the status.
async fn event_about(client: &kube::Client, uid: &str) -> events::Event {
    let api = kube::Api::<events::Event>::all(client.clone());
    let about = kube::api::ListParams::default().fields(&format!("regarding.uid={uid}"));
    let event = async {
        loop {
            if let Some(event) = api.list(&about).await.unwrap().items.pop() {
                return event;
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    tokio::time::timeout(SOON, event).await.expect("in time")
}

/// Installs the CRDs of this project, as `make install` does.
async fn install_crds(client: &kube::Client) {
    let definitions = kube::Api::all(client.clone());
    let params = kube::api::PatchParams::apply("test").force();
    for crd in api::crds().unwrap() {
        let name = crd.metadata.name.clone().unwrap();
        let patch = kube::api::Patch::Apply(crd);
        definitions.patch(&name, &params, &patch).await.unwrap();
        let established = conditions::is_crd_established();
        let established = await_condition(definitions.clone(), &name, established);
        let established = tokio::time::timeout(SOON, established).await;
        established.expect("in time").expect("a watch");
    }
}
