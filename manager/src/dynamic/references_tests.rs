//! Tests of references to objects whose kind is known only at run time.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Api;
use kube::api::PostParams;
use parking_lot::Mutex;

use crate::testing::Cluster;
use crate::{Action, Context, Controller, Kind, Manager, Options, Reason};

fn secret(name: &str) -> Secret {
    let mut secret = Secret::default();
    secret.metadata.name = Some(name.to_owned());
    secret
}

#[tokio::test(start_paused = true)]
async fn named_objects_of_a_kind_known_at_run_time_are_cached() {
    let cluster = Cluster::seeded(1);
    let secrets = Api::<Secret>::namespaced(cluster.client(), "default");
    let params = PostParams::default();
    secrets.create(&params, &secret("foreign")).await.unwrap();
    let mut map = ConfigMap::default();
    map.metadata.name = Some("web".to_owned());
    map.data = Some([("secret".to_owned(), "password".to_owned())].into());
    let maps = Api::<ConfigMap>::namespaced(cluster.client(), "default");
    maps.create(&params, &map).await.unwrap();

    let kind = Kind::of::<Secret>();
    let found: Arc<Mutex<Vec<bool>>> = Arc::default();
    let (of_reconcile, log) = (kind.clone(), found.clone());
    let reconcile = move |_: Arc<ConfigMap>, ctx: Context<ConfigMap>| {
        let (secrets, log) = (of_reconcile.clone(), log.clone());
        async move {
            let secrets = ctx.of_kind(&secrets);
            let error = secrets.get("foreign").unwrap_err();
            assert!(error.is(Reason::NotNamed), "{error}");
            assert!(error.to_string().contains("refers_to_kind(..)"), "{error}");
            log.lock().push(secrets.get("password")?.is_some());
            Ok(Action::await_change())
        }
    };
    let controller = Controller::new(reconcile).refers_to_kind(kind, |map: &ConfigMap| {
        map.data.as_ref()?.get("secret").cloned()
    });
    let manager = Manager::new("test", "0", Options::default()).controller(controller);
    let _operator = cluster.run(manager);
    cluster.settle().await;
    assert_eq!(*found.lock(), [false]);
    secrets.create(&params, &secret("password")).await.unwrap();
    cluster.settle().await;
    assert_eq!(*found.lock(), [false, true]);
}
