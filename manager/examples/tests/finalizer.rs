//! Tests of the finalizer.

use kube::api::{Api, DeleteParams, PostParams};
use kube::core::CustomResourceExt as _;
use rustop_manager::testing::Cluster;

use super::*;

#[tokio::test(start_paused = true)]
async fn a_deleted_object_leaves_no_record() {
    let dns = Dns::default();
    let cluster = Cluster::new().with([Record::crd()]);
    let manager = Manager::new("test", "0", Options::default()).with_state(dns.clone());
    let _operator = cluster.run(manager.controller(controller()));
    let records = Api::<Record>::default_namespaced(cluster.client());

    let address = "192.0.2.1".to_owned();
    let record = Record::new("www", RecordSpec { address });
    records
        .create(&PostParams::default(), &record)
        .await
        .unwrap();
    cluster.settle().await;
    let address = dns.0.lock().unwrap()["www.default.example.com"].clone();
    assert_eq!(address, "192.0.2.1");

    records
        .delete("www", &DeleteParams::default())
        .await
        .unwrap();
    cluster.settle().await;
    assert!(dns.0.lock().unwrap().is_empty());
    assert!(records.get_opt("www").await.unwrap().is_none());
}
