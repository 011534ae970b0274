//! A namespace, the objects of one case, and the operators that look after them.

use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use crate::audit::{self, Entry};
use crate::cluster::{Cluster, SOON};
use crate::operator::{Launch, Operator};
use crate::support::until;

pub struct Place {
    pub cluster: Arc<Cluster>,
    pub namespace: String,
}

impl Place {
    pub fn new(cluster: &Arc<Cluster>, namespace: &str) -> Self {
        let metadata = json!({"metadata": {"name": namespace}});
        cluster.api.post("/api/v1/namespaces", &metadata);
        Self {
            cluster: cluster.clone(),
            namespace: namespace.to_owned(),
        }
    }

    /// An operator called `name`, with a ServiceAccount of this name, and what `launch` says.
    pub fn operator(&self, name: &str, launch: Launch) -> Operator {
        Operator::start(self, name, launch)
    }

    pub fn path(&self, plural: &str, name: &str) -> String {
        let group = match plural {
            "lolcows" | "pastures" | "herds" => "apis/my.domain/v1alpha1",
            "leases" => "apis/coordination.k8s.io/v1",
            _ => "api/v1",
        };
        let path = format!("/{group}/namespaces/{}/{plural}", self.namespace);
        if name.is_empty() {
            path
        } else {
            format!("{path}/{name}")
        }
    }

    pub fn get(&self, plural: &str, name: &str) -> Option<Value> {
        self.cluster.api.get(&self.path(plural, name))
    }

    pub fn patch(&self, plural: &str, name: &str, change: &Value) -> Value {
        self.cluster.api.patch(&self.path(plural, name), change)
    }

    pub fn delete(&self, plural: &str, name: &str) -> Value {
        self.cluster.api.delete(&self.path(plural, name))
    }

    /// A new Lolcow, Pasture or Herd.
    pub fn create(&self, plural: &str, name: &str, message: &str) -> Value {
        let kind = match plural {
            "lolcows" => "Lolcow",
            "herds" => "Herd",
            _ => "Pasture",
        };
        let object = json!({
            "apiVersion": "my.domain/v1alpha1", "kind": kind,
            "metadata": {"name": name}, "spec": {"message": message},
        });
        self.cluster.api.post(&self.path(plural, ""), &object)
    }

    /// Lets a Lolcow or Pasture say something else.
    pub fn say(&self, plural: &str, name: &str, message: &str) -> Value {
        self.patch(plural, name, &json!({"spec": {"message": message}}))
    }

    /// `field` in the config map called `name`.
    pub fn data(&self, name: &str, field: &str) -> Option<String> {
        let map = self.get("configmaps", name)?;
        map["data"][field].as_str().map(str::to_owned)
    }

    /// Waits until every Lolcow has what it asks for and says so about its newest generation.
    pub fn converges(&self) {
        until("every object is converged", SOON * 3, || {
            self.is_converged()
        });
    }

    pub fn is_converged(&self) -> bool {
        let Some(list) = self.get("lolcows", "") else {
            return false;
        };
        let mut lolcows = list["items"].as_array().unwrap().iter();
        lolcows.all(|lolcow| {
            let name = lolcow["metadata"]["name"].as_str().unwrap();
            let status = &lolcow["status"];
            let ready = status["conditions"][0]["status"] == "True";
            let seen = status["observedGeneration"] == lolcow["metadata"]["generation"];
            let said = self.data(name, "message").as_deref() == lolcow["spec"]["message"].as_str();
            ready && seen && said
        })
    }

    /// The reasons of the events so far.
    pub fn event_reasons(&self) -> Vec<String> {
        let path = format!(
            "/apis/events.k8s.io/v1/namespaces/{}/events",
            self.namespace
        );
        let list = self.cluster.api.get(&path).unwrap();
        let events = list["items"].as_array().unwrap().iter();
        events
            .map(|event| event["reason"].as_str().unwrap().to_owned())
            .collect()
    }

    /// The status and the reason of `Ready`.
    pub fn condition(&self, plural: &str, name: &str) -> (String, String) {
        let object = self.get(plural, name).unwrap_or_default();
        let ready = &object["status"]["conditions"][0];
        let text = |field: &str| ready[field].as_str().unwrap_or_default().to_owned();
        (text("status"), text("reason"))
    }

    /// The API server answers before it writes that down, so the log is read until nothing is added
    /// to it, or for a second where an operator never rests.
    pub fn audit(&self) -> Vec<Entry> {
        let mut entries = self.cluster.audit(&self.namespace);
        for _ in 0..5 {
            sleep(Duration::from_millis(200));
            let before = entries.len();
            entries = self.cluster.audit(&self.namespace);
            if entries.len() == before {
                break;
            }
        }
        entries
    }

    /// The writes so far.
    pub fn writes(&self) -> Vec<Entry> {
        self.audit().into_iter().filter(audit::is_write).collect()
    }

    pub fn holder(&self) -> Option<String> {
        let lease = self.get("leases", "faults-operator")?;
        lease["spec"]["holderIdentity"].as_str().map(str::to_owned)
    }

    /// Waits until the operator called `name` leads.
    pub fn is_led_by(&self, name: &str) {
        until(&format!("{name} leads"), SOON, || {
            self.holder()
                .is_some_and(|holder| holder.starts_with(&format!("{name}_")))
        });
    }

    pub fn assert_one_leader_at_a_time(&self) {
        audit::assert_one_leader_at_a_time(&self.audit());
    }
}
