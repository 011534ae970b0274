//! A finalizer for something outside the cluster: the DNS record is removed before its object is
//! deleted.

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
    /// The IP address that the DNS record contains.
    address: String,
}

/// A client of a DNS provider. A real one sends requests; this one stores the DNS records in
/// memory.
#[derive(Clone, Default)]
struct Dns(Arc<Mutex<BTreeMap<String, String>>>);

impl Dns {
    async fn set(&self, name: String, address: String) {
        tokio::time::sleep(Duration::from_millis(50)).await;
        self.0.lock().unwrap().insert(name, address);
    }

    /// Removes a DNS record. Does nothing if there is none, because `cleanup` may be called
    /// repeatedly.
    async fn remove(&self, name: &str) {
        tokio::time::sleep(Duration::from_millis(50)).await;
        self.0.lock().unwrap().remove(name);
    }
}

/// The manager adds the finalizer `example.com/record` before the first reconcile, and removes it
/// after `cleanup` has returned `Ok`. Only then does the API server delete the object.
fn controller() -> Controller<Record> {
    Controller::new(reconcile)
        .requires_state::<Dns>()
        .cleanup("example.com/record", cleanup)
}

async fn reconcile(record: Arc<Record>, ctx: Context<Record>) -> Result<Action> {
    let set = ctx
        .state::<Dns>()?
        .set(domain(&record), record.spec.address.clone());
    // If the reconcile takes long, the log says that it waits for the DNS API.
    ctx.waiting_for("the DNS API", set).await;
    // Another client may change the DNS record, which causes no watch event. So check again every
    // ten minutes.
    Ok(Action::requeue(Duration::from_secs(600)))
}

async fn cleanup(record: Arc<Record>, ctx: Context<Record>) -> Result<()> {
    ctx.state::<Dns>()?.remove(&domain(&record)).await;
    Ok(())
}

/// Returns the domain of a record. Objects of one name in two namespaces have two domains.
fn domain(record: &Record) -> String {
    let namespace = record.namespace().unwrap_or_default();
    format!("{}.{namespace}.example.com", record.name_any())
}

#[tokio::main]
async fn main() -> Result<()> {
    let manager = Manager::from_args("dns-operator", "0.1.0").with_state(Dns::default());
    manager.controller(controller()).run().await
}

#[cfg(test)]
#[path = "tests/finalizer.rs"]
mod tests;
