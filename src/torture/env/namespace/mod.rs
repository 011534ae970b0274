//! The namespace of a run: performs the actions of users and other clients in it, and takes
//! snapshots of it.

mod api_client;
mod garbage;
pub mod handed_over;
pub mod request;
mod retained_claims;
mod takeover;
mod third_parties;

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::{Method, Request};
use kube::Client;
use serde_json::{Value, json};

use crate::torture::api::call::Resource;
use crate::torture::env::Environment;
use crate::torture::env::cluster_view::{ClusterView, ServedKind, ServedKinds};
use crate::torture::env::node_ports::NodePorts;
use crate::torture::error::{Error, Result};
use crate::torture::journal::{self, Journal};
use crate::torture::scenario::{Action, HOLD, Scenario};
use crate::torture::snapshot::Snapshot;
use crate::torture::snapshot::fields::{TOUCH_ANNOTATION, is_secondary};
use handed_over::LeftNamespace;
use request::request;
use retained_claims::RetainedClaims;

/// The time in which a deleted object must disappear.
const DELETION_TIMEOUT: Duration = Duration::from_secs(20);

/// The object that the API server returned, or its message if it rejected the request.
type ApiAnswer = std::result::Result<Value, String>;

/// The namespace of one run, with the clients that act in it.
pub struct RunNamespace<'a> {
    /// The name: `torture-00007`.
    pub namespace: String,
    client: Client,
    kinds: std::sync::Arc<ServedKinds>,
    cluster_view: ClusterView,
    scenario: &'a Scenario,
    subject: ServedKind,
    scoped: bool,
    /// The UIDs of the cluster-scoped objects that existed before the run; empty if runs see one
    /// namespace only.
    before: BTreeSet<String>,
    ports: NodePorts,
    /// Records which cluster-scoped objects the operator and the scenario have written.
    journal: Journal,
    claims: Mutex<RetainedClaims>,
}

impl<'a> RunNamespace<'a> {
    /// Creates the handle of a run's namespace, but not the namespace itself; [`Self::prepare`]
    /// does. `from` is the namespace of the earlier run whose objects this run takes over; `None`
    /// for an empty namespace.
    ///
    /// # Panics
    /// Panics if the API server does not serve the kind of the scenario's object.
    pub fn new(
        environment: &Environment,
        namespace: &str,
        scenario: &'a Scenario,
        ports: NodePorts,
        journal: Journal,
        from: Option<&LeftNamespace>,
    ) -> Self {
        let kinds = environment.upstream.kinds.clone();
        let subject = kinds
            .of_written(&scenario.subject)
            .expect("samples were looked up");
        Self {
            namespace: namespace.to_owned(),
            client: environment.upstream.admin.clone(),
            before: match from {
                Some(left) => left.before.clone(),
                None if environment.scoped => BTreeSet::new(),
                None => {
                    let objects = environment.cluster_view.objects("");
                    objects.iter().map(|it| uid(it).to_owned()).collect()
                }
            },
            cluster_view: environment.cluster_view.clone(),
            scoped: environment.scoped,
            kinds,
            scenario,
            subject,
            ports,
            journal,
            claims: Mutex::default(),
        }
    }

    /// Returns the resource of the scenario's object.
    pub fn subject(&self) -> Resource {
        (&self.subject.resource).into()
    }

    /// Creates the namespace, the operator's roles, and the other objects that must exist before
    /// the first step of the scenario.
    ///
    /// # Errors
    /// Returns an error if the API server rejects one of them.
    pub async fn prepare(&self, roles: &[Value]) -> Result<()> {
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}});
        let created = self
            .send_json(Method::POST, "/api/v1/namespaces", &namespace)
            .await?;
        created.map_err(|message| refusal(&namespace, message))?;
        for object in roles.iter().chain(&self.scenario.prerequisites) {
            let created = self.create(object.clone()).await?;
            created.map_err(|message| refusal(object, message))?;
        }
        Ok(())
    }

    /// Returns the current resource version of the API server; empty if the request fails. The list
    /// of a kind without objects in the namespace has it, too.
    pub async fn version(&self) -> String {
        let path = format!("/api/v1/namespaces/{}/limitranges?limit=1", self.namespace);
        let list = self
            .send_json(Method::GET, &path, &Value::Null)
            .await
            .ok()
            .and_then(ApiAnswer::ok);
        let version = list.map(|list| list["metadata"]["resourceVersion"].clone());
        version
            .and_then(|version| version.as_str().map(str::to_owned))
            .unwrap_or_default()
    }

    /// Performs an action, and waits until the cluster view contains an object that it created or
    /// changed, or until an object that it deleted is gone, except for [`Action::Hold`]. The inner
    /// `Err` is the message of the API server if it rejected the action.
    pub async fn perform(&self, action: &Action) -> Result<std::result::Result<(), String>> {
        let done = match action {
            Action::Create(spec) => self.make(spec).await?,
            Action::Set(spec) => {
                let answer = self.send(&self.set(spec)).await?;
                self.wait_until_in_view(&self.subject, &answer).await;
                answer
            }
            Action::CreateOther(object) => self.create(object.clone()).await?,
            Action::EditOther(object, edit) => self.on_other(object, Some(edit)).await?,
            Action::DeleteOther(object) => self.on_other(object, None).await?,
            Action::DeleteChild(child) => self.on_child(child, None).await?,
            Action::EditChild(child, edit) => self.on_child(child, Some(edit)).await?,
            Action::Delete { foreground } => {
                let answer = self.send(&self.delete(*foreground)).await?;
                self.until_gone(&self.subject_path()).await;
                answer
            }
            Action::Recreate(spec) => {
                let answer = self.send(&self.delete(false)).await?;
                self.until_gone(&self.subject_path()).await;
                match answer {
                    Ok(_) => self.make(spec).await?,
                    refused => refused,
                }
            }
            Action::ForeignObjects { same_names, like } => {
                self.create_foreign_objects(*same_names, like).await?
            }
            Action::Hold => self.send(&self.delete(false)).await?,
            Action::Release => {
                let released = self.release().await?;
                self.until_gone(&self.subject_path()).await;
                released
            }
            // The run restarts or replaces the operator; the objects stay as they are.
            Action::Restart | Action::Upgrade | Action::HandOver => Ok(Value::Null),
        };
        Ok(done.map(drop))
    }

    async fn make(&self, spec: &Value) -> Result<ApiAnswer> {
        let mut object = self.scenario.subject.clone();
        object["spec"] = spec.clone();
        self.create(object).await
    }

    async fn create(&self, mut object: Value) -> Result<ApiAnswer> {
        let Some(kind) = self.kinds.of_written(&object) else {
            return Ok(Err("the API server does not serve its kind".into()));
        };
        if kind.namespaced {
            object["metadata"]["namespace"] = json!(self.namespace);
        } else {
            let name = journal::name_in(&object).unwrap_or_default();
            self.journal.note_write(&(&kind.resource).into(), &name);
        }
        let answer = self
            .send_json(Method::POST, &self.path_of(&kind, ""), &object)
            .await?;
        self.wait_until_in_view(&kind, &answer).await;
        Ok(answer)
    }

    fn set(&self, spec: &Value) -> Request<Vec<u8>> {
        let patch = json!([{ "op": "add", "path": "/spec", "value": spec }]);
        request(Method::PATCH, &self.subject_path(), &patch)
    }

    fn delete(&self, foreground: bool) -> Request<Vec<u8>> {
        let policy = if foreground {
            "Foreground"
        } else {
            "Background"
        };
        let options = json!({ "propagationPolicy": policy });
        request(Method::DELETE, &self.subject_path(), &options)
    }

    /// Returns the request of an action that consists of one request, so that the proxy can send it
    /// during the step before. `None` for other actions.
    pub fn single_request(&self, action: &Action) -> Option<Request<Vec<u8>>> {
        match action {
            Action::Set(spec) => Some(self.set(spec)),
            Action::Delete { foreground } => Some(self.delete(*foreground)),
            _ => None,
        }
    }

    async fn release(&self) -> Result<ApiAnswer> {
        let live = self
            .send_json(Method::GET, &self.subject_path(), &Value::Null)
            .await?;
        let Ok(live) = live else { return Ok(live) };
        let mut finalizers = live["metadata"]["finalizers"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        finalizers.retain(|finalizer| finalizer != HOLD);
        self.patch(
            &self.subject_path(),
            &json!({ "metadata": { "finalizers": finalizers } }),
        )
        .await
    }

    /// Waits until the object at `path` is gone, for [`DELETION_TIMEOUT`] at most.
    async fn until_gone(&self, path: &str) {
        let limit = Instant::now() + DELETION_TIMEOUT;
        while Instant::now() < limit {
            if matches!(self.find(path).await, Ok(None)) {
                return;
            }
            self.collect_garbage().await;
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// Returns the current objects of the run: those in its namespace, and the cluster-scoped ones
    /// that the operator or the scenario has created.
    pub fn objects(&self) -> Vec<Value> {
        let mut objects = self.cluster_view.objects(&self.namespace);
        if !self.scoped {
            objects.extend(self.of_cluster());
        }
        for object in &mut objects {
            if object["kind"] == "Service" {
                self.ports.incoming(&Resource::core("services"), object);
            }
            if let Some(annotations) = object["metadata"]["annotations"].as_object_mut() {
                annotations.remove(TOUCH_ANNOTATION);
            }
        }
        objects
    }

    /// Returns the cluster-scoped objects of the run: new ones that the operator or the scenario
    /// has written, with all objects that they own. Being new is not enough, since other
    /// controllers create objects, too.
    fn of_cluster(&self) -> Vec<Value> {
        let new: Vec<_> = self
            .cluster_view
            .objects("")
            .into_iter()
            .filter(|object| !self.before.contains(uid(object)))
            .collect();
        let is_written = |object: &&Value| {
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            let resource = self.kinds.resource_of(object);
            resource.is_some_and(|resource| self.journal.has_written(&resource, name))
        };
        let mut ours: BTreeSet<&str> = new.iter().filter(is_written).map(uid).collect();
        loop {
            let found = ours.len();
            ours.extend(
                new.iter()
                    .filter(|it| is_owned(it, &ours))
                    .map(uid)
                    .collect::<Vec<_>>(),
            );
            if ours.len() == found {
                break;
            }
        }
        let is_ours: Vec<_> = new
            .iter()
            .map(|object| ours.contains(uid(object)))
            .collect();
        new.into_iter()
            .zip(is_ours)
            .filter_map(|(object, is_ours)| is_ours.then_some(object))
            .collect()
    }

    /// Takes a snapshot of the objects of the run, including those in other namespaces.
    pub fn state(&self) -> Snapshot {
        let mut objects = self.objects();
        objects.extend(self.cluster_view.elsewhere(&self.namespace));
        let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        claims.learn(&objects);
        let is_relevant = |object: &&Value| !is_secondary(object) && !claims.retains(object);
        Snapshot::of(objects.iter().filter(is_relevant), &self.namespace)
    }

    /// Returns the name of a claim that Kubernetes retains although its `StatefulSet` was deleted.
    /// `None` while any `StatefulSet` exists.
    pub fn retained_claim(&self) -> Option<String> {
        let objects = self.objects();
        if objects.iter().any(|object| object["kind"] == "StatefulSet") {
            return None;
        }
        let claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        let claim = objects.iter().find(|object| claims.retains(object))?;
        claim["metadata"]["name"].as_str().map(str::to_owned)
    }

    /// Returns the time of the last change of an object of the run, or `None` before the first.
    pub fn last_change(&self) -> Option<Instant> {
        let here = self.cluster_view.changed(&self.namespace);
        if self.scoped {
            here
        } else {
            here.max(self.cluster_view.changed(""))
        }
    }

    /// Deletes the remaining objects as far as possible; the next run has another namespace. Waits
    /// for the deletion of cluster-scoped objects, since those of the next run have the same names.
    pub async fn clean(&self) {
        let limit = Instant::now() + DELETION_TIMEOUT;
        loop {
            self.delete_all().await;
            if self.scoped || self.of_cluster().is_empty() || Instant::now() > limit {
                return;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    async fn delete_all(&self) {
        let elsewhere = self.cluster_view.elsewhere(&self.namespace);
        for object in self.objects().into_iter().chain(elsewhere) {
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            let everywhere = ["default", "kube-root-ca.crt"].contains(&name);
            let Some(kind) = self.kinds.of_object(&object).filter(|_| !everywhere) else {
                continue;
            };
            let namespace = object["metadata"]["namespace"].as_str();
            let path = format!("{}/{name}", Resource::from(&kind.resource).path(namespace));
            if object["metadata"]["finalizers"].is_array() {
                let none = json!({ "metadata": { "finalizers": null } });
                let _ = self.patch(&path, &none).await;
            }
            let _ = self
                .send_json(Method::DELETE, &path, &json!({ "gracePeriodSeconds": 0 }))
                .await;
        }
    }
}

fn uid(object: &Value) -> &str {
    object["metadata"]["uid"].as_str().unwrap_or_default()
}

/// Reports whether one of the owners of an object is among these.
fn is_owned(object: &Value, owners: &BTreeSet<&str>) -> bool {
    object["metadata"]["ownerReferences"]
        .as_array()
        .into_iter()
        .flatten()
        .any(|owner| owners.contains(owner["uid"].as_str().unwrap_or_default()))
}

/// Returns the error for an object that the API server rejects.
fn refusal(object: &Value, message: String) -> Error {
    let kind = object["kind"].as_str().unwrap_or_default().to_lowercase();
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    Error::SampleRefused {
        object: format!("{kind}/{name}"),
        message,
    }
}
