//! A finalizer for something outside the cluster: an object is deleted after its DNS record is.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use kube::{CustomResource, ResourceExt as _};
use rustop_manager::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[kube(group = "example.com", version = "v1", kind = "Record", namespaced)]
struct RecordSpec {
    address: String,
}

/// A client of the API that holds the records. A real one sends requests.
#[derive(Clone, Default)]
struct Dns(Arc<Mutex<BTreeMap<String, String>>>);

impl Dns {
    async fn set(&self, name: String, address: String) {
        tokio::time::sleep(Duration::from_millis(50)).await;
        self.0.lock().unwrap().insert(name, address);
    }

    /// Succeeds if there is no such record, because a cleanup may be repeated.
    async fn remove(&self, name: &str) {
        tokio::time::sleep(Duration::from_millis(50)).await;
        self.0.lock().unwrap().remove(name);
    }
}

/// The finalizer is added before the first reconcile, and removed after `cleanup` has returned `Ok`.
fn controller() -> Controller<Record> {
    Controller::new(reconcile)
        .requires_state::<Dns>()
        .cleanup("example.com/record", cleanup)
}

async fn reconcile(record: Arc<Record>, ctx: Context<Record>) -> Result<Action> {
    let set = ctx
        .state::<Dns>()?
        .set(record.name_any(), record.spec.address.clone());
    // The log says what a slow reconcile waits for.
    ctx.waiting_for("the DNS API", set).await;
    // Another client may change the record, and no watch reports that.
    Ok(Action::requeue(Duration::from_secs(600)))
}

async fn cleanup(record: Arc<Record>, ctx: Context<Record>) -> Result<()> {
    ctx.state::<Dns>()?.remove(&record.name_any()).await;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<()> {
    let manager = Manager::from_args("dns-operator", "0.1.0").with_state(Dns::default());
    manager.controller(controller()).run().await
}

#[cfg(test)]
mod tests {
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
        let created = records.create(&PostParams::default(), &record).await;
        created.unwrap();
        cluster.settle().await;
        assert_eq!(dns.0.lock().unwrap()["www"], "192.0.2.1");

        let deleted = records.delete("www", &DeleteParams::default()).await;
        deleted.unwrap();
        cluster.settle().await;
        assert!(dns.0.lock().unwrap().is_empty());
        assert!(records.get_opt("www").await.unwrap().is_none());
    }
}
