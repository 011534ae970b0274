//! Whoever is not the operator: makes, changes and deletes objects in the namespace of a run.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use http::Method;
use kube::Client;
use serde_json::{Value, json};

use super::call::Resource;
use super::error::{Error, Result};
use super::fields::{TOUCHED, is_secondary};
use super::ports::Ports;
use super::scenario::{Act, Child, Scenario};
use super::stage::Stage;
use super::state::State;
use super::world::{Kind, Kinds, World};

/// How long an object may take to go.
const GOES_WITHIN: Duration = Duration::from_secs(15);
/// Keeps an object from going.
const HOLD: &str = "torture.rustop/hold";
/// Of an object whose children go first.
const FOREGROUND: &str = "foregroundDeletion";
/// Who owns what is not the operator's.
const STRANGER: &str = "somebody-else";

/// What an API server says when it refuses.
type Answer = std::result::Result<Value, String>;

/// Acts in one namespace.
pub struct Actor<'a> {
    /// The namespace.
    pub namespace: String,
    client: Client,
    kinds: std::sync::Arc<Kinds>,
    world: World,
    scenario: &'a Scenario,
    subject: Kind,
    scoped: bool,
    /// What was in the cluster before, where all of it counts.
    before: BTreeSet<String>,
    ports: Ports,
}

impl<'a> Actor<'a> {
    /// In `namespace`, for a scenario.
    pub fn new(stage: &Stage, namespace: &str, scenario: &'a Scenario, ports: Ports) -> Self {
        let kinds = stage.upstream.kinds.clone();
        let subject = kinds
            .of_object(&scenario.subject)
            .expect("samples were looked up")
            .clone();
        let uid = |object: &Value| {
            object["metadata"]["uid"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        Self {
            namespace: namespace.to_owned(),
            client: stage.upstream.admin.clone(),
            before: if stage.scoped {
                BTreeSet::new()
            } else {
                stage.world.objects("").iter().map(uid).collect()
            },
            world: stage.world.clone(),
            scoped: stage.scoped,
            kinds,
            scenario,
            subject,
            ports,
        }
    }

    /// The kind of the object that all is about.
    pub fn subject(&self) -> Resource {
        let resource = &self.subject.resource;
        Resource {
            group: resource.group.clone(),
            version: resource.version.clone(),
            plural: resource.plural.clone(),
        }
    }

    /// Makes the namespace and what has to be there beside the object.
    pub async fn prepare(&self, roles: &[Value]) -> Result<()> {
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}});
        let made = self
            .ask(Method::POST, "/api/v1/namespaces", &namespace)
            .await?;
        made.map_err(|message| refusal(&namespace, message))?;
        for object in roles.iter().chain(&self.scenario.beside) {
            let made = self.create(object.clone()).await?;
            made.map_err(|message| refusal(object, message))?;
        }
        Ok(())
    }

    /// Where the API server is: the resource version of now.
    pub async fn version(&self) -> String {
        let path = format!("/api/v1/namespaces/{}/limitranges?limit=1", self.namespace);
        let list = self
            .ask(Method::GET, &path, &Value::Null)
            .await
            .ok()
            .and_then(Answer::ok);
        let version = list.map(|list| list["metadata"]["resourceVersion"].clone());
        version
            .and_then(|version| version.as_str().map(str::to_owned))
            .unwrap_or_default()
    }

    /// Does something; `Err` is what the API server says when it refuses.
    pub async fn act(&self, act: &Act) -> Result<std::result::Result<(), String>> {
        let done = match act {
            Act::Create(spec) => self.make(spec).await?,
            Act::Set(spec) => {
                let patch = json!([{ "op": "add", "path": "/spec", "value": spec }]);
                let answer = self.patch(&self.path(), &patch).await?;
                self.seen(&self.subject, &answer).await;
                answer
            }
            Act::DeleteChild(child) => self.on_child(child, None).await?,
            Act::EditChild(child, edit) => self.on_child(child, Some(edit)).await?,
            Act::Delete { foreground } => {
                let policy = if *foreground {
                    "Foreground"
                } else {
                    "Background"
                };
                let answer = self.delete(policy).await?;
                self.until_gone().await;
                answer
            }
            Act::Recreate(spec) => {
                let answer = self.delete("Background").await?;
                self.until_gone().await;
                match answer {
                    Ok(_) => self.make(spec).await?,
                    refused => refused,
                }
            }
            Act::Strangers { same_names, like } => self.strangers(*same_names, like).await?,
            Act::Hold => {
                let hold =
                    json!([{ "op": "add", "path": "/metadata/finalizers/-", "value": HOLD }]);
                let mut answer = self.patch(&self.path(), &hold).await?;
                if answer.is_err() {
                    let first = json!({ "metadata": { "finalizers": [HOLD] } });
                    answer = self.patch(&self.path(), &first).await?;
                }
                match answer {
                    Ok(_) => self.delete("Background").await?,
                    refused => refused,
                }
            }
            Act::Release => {
                let released = self.release().await?;
                self.until_gone().await;
                released
            }
        };
        Ok(done.map(drop))
    }

    async fn make(&self, spec: &Value) -> Result<Answer> {
        let mut object = self.scenario.subject.clone();
        object["spec"] = spec.clone();
        self.create(object).await
    }

    async fn create(&self, mut object: Value) -> Result<Answer> {
        let Some(kind) = self.kinds.of_object(&object) else {
            return Ok(Err("the API server does not serve its kind".into()));
        };
        if kind.namespaced {
            object["metadata"]["namespace"] = json!(self.namespace);
        }
        let answer = self
            .ask(Method::POST, &self.path_of(kind, ""), &object)
            .await?;
        self.seen(kind, &answer).await;
        Ok(answer)
    }

    async fn delete(&self, policy: &str) -> Result<Answer> {
        let options = json!({ "propagationPolicy": policy });
        self.ask(Method::DELETE, &self.path(), &options).await
    }

    async fn release(&self) -> Result<Answer> {
        let live = self.ask(Method::GET, &self.path(), &Value::Null).await?;
        let Ok(live) = live else { return Ok(live) };
        let mut finalizers = live["metadata"]["finalizers"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        finalizers.retain(|finalizer| finalizer != HOLD);
        self.patch(
            &self.path(),
            &json!({ "metadata": { "finalizers": finalizers } }),
        )
        .await
    }

    /// Deletes or edits a child as somebody who is not the operator.
    async fn on_child(&self, child: &Child, edit: Option<&Value>) -> Result<Answer> {
        let Some(kind) = self
            .kinds
            .of_object(&json!({"apiVersion": child.api_version, "kind": child.kind}))
        else {
            return Ok(Err("the API server does not serve its kind".into()));
        };
        let objects = self.objects();
        let live = objects.iter().find(|object| {
            let same_name = match &child.generate_name {
                Some(prefix) => object["metadata"]["generateName"] == prefix.as_str(),
                None => object["metadata"]["name"].as_str().is_some_and(|name| {
                    name.replace(&self.namespace, "NAMESPACE") == child.id.name
                }),
            };
            object["kind"] == child.kind.as_str() && same_name
        });
        let Some(name) = live.and_then(|live| live["metadata"]["name"].as_str()) else {
            return Ok(Err(format!("{} is not there", child.id)));
        };
        let path = self.path_of(kind, name);
        let answer = match edit {
            Some(edit) => self.patch(&path, edit).await?,
            None => {
                self.ask(Method::DELETE, &path, &json!({ "gracePeriodSeconds": 0 }))
                    .await?
            }
        };
        self.seen(kind, &answer).await;
        Ok(answer)
    }

    /// Objects of somebody else's, by the names that the operator would use or by others.
    async fn strangers(&self, same_names: bool, like: &[Child]) -> Result<Answer> {
        let owner =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": STRANGER}});
        let owner = match self.create(owner).await? {
            Ok(owner) => owner,
            refused => return Ok(refused),
        };
        let reference = json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": STRANGER,
            "uid": owner["metadata"]["uid"], "controller": true, "blockOwnerDeletion": false}]);
        for child in like {
            let mut object = child.object.clone();
            let labels = object["metadata"]["labels"].take();
            let name = match (same_names, &child.generate_name) {
                (true, Some(_)) => continue,
                (true, None) => child.id.name.replace("NAMESPACE", &self.namespace),
                (false, _) => format!("{STRANGER}-{}", child.kind.to_lowercase()),
            };
            object["metadata"] =
                json!({"name": name, "labels": labels, "ownerReferences": reference});
            object.as_object_mut().map(|object| object.remove("status"));
            if object["kind"] == "Service" {
                object["spec"] = json!({"ports": [{"port": 80}]});
            }
            if let refused @ Err(_) = self.create(object).await? {
                return Ok(refused);
            }
        }
        Ok(Ok(Value::Null))
    }

    async fn until_gone(&self) {
        let (limit, path) = (Instant::now() + GOES_WITHIN, self.path());
        while Instant::now() < limit {
            if matches!(self.ask(Method::GET, &path, &Value::Null).await, Ok(Err(_))) {
                return;
            }
            self.sweep().await;
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    async fn seen(&self, kind: &Kind, answer: &Answer) {
        if let Ok(object) = answer
            && object["metadata"]["name"].is_string()
        {
            self.world.sees(kind, object).await;
        }
    }

    fn path(&self) -> String {
        let name = self.scenario.subject["metadata"]["name"]
            .as_str()
            .unwrap_or_default();
        self.path_of(&self.subject, name)
    }

    fn path_of(&self, kind: &Kind, name: &str) -> String {
        let namespace = kind.namespaced.then_some(self.namespace.as_str());
        let resource = Resource {
            group: kind.resource.group.clone(),
            version: kind.resource.version.clone(),
            plural: kind.resource.plural.clone(),
        };
        format!("{}/{name}", resource.path(namespace))
            .trim_end_matches('/')
            .to_owned()
    }

    async fn patch(&self, path: &str, change: &Value) -> Result<Answer> {
        self.ask(Method::PATCH, path, change).await
    }

    async fn ask(&self, method: Method, path: &str, body: &Value) -> Result<Answer> {
        let kind = match (&method, body) {
            (&Method::PATCH, Value::Array(_)) => "application/json-patch+json",
            (&Method::PATCH, _) => "application/merge-patch+json",
            _ => "application/json",
        };
        let bytes = if body.is_null() {
            Vec::new()
        } else {
            body.to_string().into_bytes()
        };
        let action = format!("{method} {path}");
        let request = http::Request::builder().method(method).uri(path);
        let request = request
            .header(http::header::CONTENT_TYPE, kind)
            .body(bytes)
            .expect("a valid request");
        match self.client.request::<Value>(request).await {
            Ok(answer) => Ok(Ok(answer)),
            Err(kube::Error::Api(status)) => Ok(Err(status.message.clone())),
            Err(error) => Err(Error::api(action)(error)),
        }
    }

    /// The objects of the run.
    pub fn objects(&self) -> Vec<Value> {
        let mut objects = self.world.objects(&self.namespace);
        if !self.scoped {
            let of_cluster = self.world.objects("").into_iter().filter(|object| {
                let uid = object["metadata"]["uid"].as_str().unwrap_or_default();
                let name = object["metadata"]["name"].as_str().unwrap_or_default();
                !name.starts_with("torture-") && !self.before.contains(uid)
            });
            objects.extend(of_cluster);
        }
        for object in &mut objects {
            if object["kind"] == "Service" {
                let services = Resource {
                    group: String::new(),
                    version: "v1".into(),
                    plural: "services".into(),
                };
                self.ports.incoming(&services, object);
            }
            if let Some(annotations) = object["metadata"]["annotations"].as_object_mut() {
                annotations.remove(TOUCHED);
            }
        }
        objects
    }

    /// Those that an operator may have to do with, as a state.
    pub fn state(&self) -> State {
        let objects = self.objects();
        let relevant = objects.iter().filter(|object| !is_secondary(object));
        State::of(relevant, &self.namespace)
    }

    /// Takes away what Kubernetes would; whether there is any. Its own garbage collector learns of new kinds
    /// every half a minute only, and works for all runs one after the other.
    pub async fn sweep(&self) -> bool {
        let objects = self.objects();
        let mut any = false;
        for object in &objects {
            let list = |key: &str| {
                object["metadata"][key]
                    .as_array()
                    .cloned()
                    .unwrap_or_default()
            };
            let (owners, finalizers) = (list("ownerReferences"), list("finalizers"));
            let ends = object["metadata"]["deletionTimestamp"].is_string();
            if ends && finalizers.is_empty() {
                any = true;
            } else if ends && finalizers.iter().any(|finalizer| finalizer == FOREGROUND) {
                any = true;
                self.let_go(object, &objects).await;
            } else if !ends && !owners.is_empty() && self.are_gone(&owners, &objects).await {
                any = true;
                self.delete_garbage(object).await;
            }
        }
        any
    }

    /// Whether none of the owners is there. News of a child may come before that of its owner, so those that
    /// are not known are asked for.
    async fn are_gone(&self, owners: &[Value], objects: &[Value]) -> bool {
        for owner in owners {
            if objects
                .iter()
                .any(|object| object["metadata"]["uid"] == owner["uid"])
            {
                return false;
            }
            let Some(kind) = self.kinds.of_object(owner) else {
                return false;
            };
            let name = owner["name"].as_str().unwrap_or_default();
            match self
                .ask(Method::GET, &self.path_of(kind, name), &Value::Null)
                .await
            {
                Ok(Ok(live)) if live["metadata"]["uid"] == owner["uid"] => return false,
                Err(_) => return false,
                _ => {}
            }
        }
        true
    }

    /// Of an object whose children go first: the children, and then itself.
    async fn let_go(&self, object: &Value, objects: &[Value]) {
        let uid = &object["metadata"]["uid"];
        let is_child = |other: &&Value| {
            let owners = other["metadata"]["ownerReferences"].as_array();
            owners
                .into_iter()
                .flatten()
                .any(|owner| owner["uid"] == *uid && owner["blockOwnerDeletion"] == true)
        };
        let mut left = false;
        for child in objects.iter().filter(is_child) {
            left = true;
            if !child["metadata"]["deletionTimestamp"].is_string() {
                self.delete_garbage(child).await;
            }
        }
        if !left && let Some(kind) = self.kinds.of_object(object) {
            let mut finalizers = object["metadata"]["finalizers"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            finalizers.retain(|finalizer| finalizer != FOREGROUND);
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            let change = json!({"metadata": {"uid": uid, "finalizers": finalizers,
                "resourceVersion": object["metadata"]["resourceVersion"]}});
            let _ = self.patch(&self.path_of(kind, name), &change).await;
        }
    }

    async fn delete_garbage(&self, object: &Value) {
        let Some(kind) = self.kinds.of_object(object) else {
            return;
        };
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let only = json!({"preconditions": {"uid": object["metadata"]["uid"]}, "propagationPolicy": "Background"});
        // Whoever was faster did the same.
        let _ = self
            .ask(Method::DELETE, &self.path_of(kind, name), &only)
            .await;
    }

    /// When something last changed.
    pub fn changed(&self) -> Option<Instant> {
        let here = self.world.changed(&self.namespace);
        if self.scoped {
            here
        } else {
            here.max(self.world.changed(""))
        }
    }

    /// Takes away what is left, as well as it goes: the next run is somewhere else.
    pub async fn clean(&self) {
        for object in self.objects() {
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            let everywhere = ["default", "kube-root-ca.crt"].contains(&name);
            let Some(kind) = self.kinds.of_object(&object).filter(|_| !everywhere) else {
                continue;
            };
            let path = self.path_of(kind, name);
            if object["metadata"]["finalizers"].is_array() {
                let none = json!({ "metadata": { "finalizers": null } });
                let _ = self.patch(&path, &none).await;
            }
            let _ = self
                .ask(Method::DELETE, &path, &json!({ "gracePeriodSeconds": 0 }))
                .await;
        }
    }
}

/// A sample that cannot be created.
fn refusal(object: &Value, message: String) -> Error {
    let kind = object["kind"].as_str().unwrap_or_default().to_lowercase();
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    Error::SampleRefused {
        object: format!("{kind}/{name}"),
        message,
    }
}
