//! The control plane that all operators share, and what is seen of it: objects, events, the audit log.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::sleep;
use std::time::{Duration, Instant};

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::proxy::Proxy;
use crate::support::audit::{Entry, entries};
use crate::support::{Ran, Sandbox, run};

/// The time limit for any reaction of the control plane or of an operator.
pub const SOON: Duration = Duration::from_secs(60);

/// A running control plane. It ends with the last test that uses it.
pub struct Cluster {
    pub sandbox: Sandbox,
    pub kubeconfig: PathBuf,
    audit_log: PathBuf,
    kubectl: PathBuf,
}

impl Cluster {
    /// Returns the running cluster, or starts one.
    pub fn shared() -> Arc<Self> {
        static SHARED: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cluster) = shared.upgrade() {
            return cluster;
        }
        let sandbox = Sandbox::new();
        // An operator that scales to a hundred Pods needs room for them.
        sandbox.ok("cluster start --nodes 3");
        let status = sandbox.status("default").remove(0);
        let path = |field: &str| PathBuf::from(status[field].as_str().unwrap());
        let cluster = Arc::new(Self {
            kubeconfig: path("kubeconfig"),
            audit_log: path("auditLog"),
            kubectl: path("assets").join("kubectl"),
            sandbox,
        });
        *shared = Arc::downgrade(&cluster);
        cluster
    }
}

/// One test's view of the cluster, as its administrator. Paths are those of the REST API.
pub struct Stage {
    pub cluster: Arc<Cluster>,
    runtime: Runtime,
    client: Client,
}

impl Stage {
    pub fn new() -> Self {
        let cluster = Cluster::shared();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let kubeconfig = Kubeconfig::read_from(&cluster.kubeconfig).unwrap();
        let client = runtime.block_on(async {
            let config =
                Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
            Client::try_from(config.unwrap()).unwrap()
        });
        Self {
            cluster,
            runtime,
            client,
        }
    }

    /// Sends a request; `Err` is what the API server says when it refuses.
    pub fn ask(&self, verb: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
        let type_ = match verb {
            "PATCH" => "application/merge-patch+json",
            _ => "application/json",
        };
        let body = body.map_or_else(Vec::new, |body| body.to_string().into_bytes());
        let request = http::Request::builder()
            .method(verb)
            .uri(path)
            .header("content-type", type_)
            .body(body)
            .unwrap();
        match self.runtime.block_on(self.client.request(request)) {
            Ok(answer) => Ok(answer),
            Err(kube::Error::Api(status)) => Err(status.message.clone()),
            Err(error) => panic!("{verb} {path}: {error}"),
        }
    }

    /// Returns the object at a path, or `null`.
    pub fn get(&self, path: &str) -> Value {
        self.ask("GET", path, None).unwrap_or_default()
    }

    /// The items of a list.
    pub fn list(&self, path: &str) -> Vec<Value> {
        let list = self.ask("GET", path, None).unwrap();
        list["items"].as_array().unwrap().clone()
    }

    pub fn create(&self, path: &str, object: &Value) -> Value {
        self.ask("POST", path, Some(object)).unwrap()
    }

    /// Merges a patch into an object.
    pub fn patch(&self, path: &str, change: &Value) -> Value {
        self.ask("PATCH", path, Some(change)).unwrap()
    }

    pub fn delete(&self, path: &str) {
        self.ask("DELETE", path, None).unwrap();
    }

    pub fn namespace(&self, name: &str) {
        self.create("/api/v1/namespaces", &json!({"metadata": {"name": name}}));
    }

    /// A proxy in front of the API server.
    pub fn proxy(&self) -> Proxy {
        let text = fs::read_to_string(&self.cluster.kubeconfig).unwrap();
        let server = text.split("server: ").nth(1).unwrap();
        let server = server.split_whitespace().next().unwrap();
        Proxy::start(self.cluster.kubeconfig.parent().unwrap(), server)
    }

    /// Waits until an object is as `wanted` says and returns it.
    pub fn wait(&self, what: &str, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let seen = self.get(path);
            if wanted(&seen) {
                return seen;
            }
            assert!(
                start.elapsed() < SOON,
                "not in {SOON:?}: {what} ({path}): {seen:#}"
            );
            sleep(Duration::from_millis(50));
        }
    }

    /// Waits until nothing is at a path.
    pub fn gone(&self, path: &str) {
        self.wait("gone", path, Value::is_null);
    }

    /// Returns the notes of the events about an object with a reason.
    pub fn events(&self, namespace: &str, name: &str, reason: &str) -> Vec<String> {
        let path = format!("/apis/events.k8s.io/v1/namespaces/{namespace}/events");
        let about = |event: &Value| event["regarding"]["name"] == name && event["reason"] == reason;
        let events = self.list(&path).into_iter().filter(about);
        events
            .map(|event| event["note"].as_str().unwrap_or_default().to_owned())
            .collect()
    }

    pub fn kubectl(&self, line: &str) -> Ran {
        run(Command::new(&self.cluster.kubectl)
            .args(line.split_whitespace())
            .env("KUBECONFIG", &self.cluster.kubeconfig)
            .env("HOME", self.cluster.sandbox.path()))
    }

    /// `kubectl`, which must succeed; what it prints.
    pub fn kubectl_ok(&self, line: &str) -> String {
        let ran = self.kubectl(line);
        assert_eq!(ran.code, Some(0), "kubectl {line}: {}", ran.stderr);
        ran.stdout
    }

    /// Everything that a user wrote, or tried to, in the order in which the API server saw it. Events
    /// and leases are left out: they are not what an operator works on.
    pub fn writes(&self, user: &str) -> Vec<Entry> {
        let log = fs::read_to_string(&self.cluster.audit_log).unwrap();
        let mut writes = entries(&log, user);
        writes.retain(|entry| entry.user == user && is_write(entry));
        writes
    }
}

fn is_write(entry: &Entry) -> bool {
    let reads = ["get", "list", "watch"].contains(&entry.verb.as_str());
    let others = ["events", "leases", "selfsubjectaccessreviews"];
    let resource = entry.resource.split('/').next().unwrap_or_default();
    !reads && !others.contains(&resource)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns true if the condition of a type has a status and the current generation.
pub fn condition(object: &Value, type_: &str, status: &str) -> bool {
    let conditions = object["status"]["conditions"].as_array();
    conditions.into_iter().flatten().any(|condition| {
        condition["type"] == type_
            && condition["status"] == status
            && condition["observedGeneration"] == object["metadata"]["generation"]
    })
}

/// The message of the condition of a type.
pub fn message(object: &Value, type_: &str) -> String {
    let conditions = object["status"]["conditions"].as_array();
    let found = conditions
        .into_iter()
        .flatten()
        .find(|condition| condition["type"] == type_);
    found.map_or_else(String::new, |condition| text(&condition["message"]))
}

pub fn is_ready(object: &Value) -> bool {
    condition(object, "Ready", "True")
}
