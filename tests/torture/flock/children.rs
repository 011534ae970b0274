//! What belongs to a flock.

use std::fmt::Debug;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, Service};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::{
    Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams, Preconditions,
};
use kube::core::Status;
use kube::{Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::bug::Bug;
use crate::{Result, Shepherd};

pub struct Children<'a> {
    shepherd: &'a Shepherd,
    flock: &'a DynamicObject,
    name: String,
    namespace: String,
}

impl<'a> Children<'a> {
    pub fn new(shepherd: &'a Shepherd, flock: &'a DynamicObject) -> Self {
        let (name, namespace) = (flock.name_any(), flock.namespace().unwrap_or_default());
        Self {
            shepherd,
            flock,
            name,
            namespace,
        }
    }

    /// Makes everything as the spec asks for.
    pub async fn tend(&self) -> Result<()> {
        self.forget_strays().await?;
        self.write_record().await?;
        self.songs().await?;
        self.serve().await?;
        self.sheep().await
    }

    /// Whether the first look says that nothing is left to do.
    pub fn is_settled(&self) -> bool {
        let now = &self.flock.data["status"]["observedGeneration"];
        *now == json!(self.flock.metadata.generation)
    }

    /// The record is not in the flock's namespace's care: nobody owns it.
    pub async fn remove_record(&self) -> Result<()> {
        match self
            .api::<ConfigMap>()
            .delete(&self.record(), &DeleteParams::default())
            .await
        {
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            other => other.map(drop),
        }
    }

    fn record(&self) -> String {
        format!("{}-record", self.name)
    }

    async fn write_record(&self) -> Result<()> {
        let record = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": self.record(),
            "annotations": {"bugs.example.com/flock": self.name}}, "data": {"flock": self.name}});
        let api = self.api::<ConfigMap>();
        if let Some(live) = api.get_opt(&self.record()).await?
            && live.annotations().get("bugs.example.com/flock") != Some(&self.name)
        {
            return Err(not_ours(&self.record()));
        }
        self.apply::<ConfigMap>(&self.record(), &record).await
    }

    async fn songs(&self) -> Result<()> {
        let spec = &self.flock.data["spec"];
        let (song, note) = (format!("{}-song", self.name), format!("{}-note", self.name));
        let api = self.api::<ConfigMap>();
        let bug = self.bug();
        let there = api.get_opt(&song).await?.is_some();
        if there && bug == Some(Bug::HalfDone) {
            return Ok(());
        }
        if bug == Some(Bug::Panics) {
            let _ = spec["note"].as_str().unwrap();
        }
        if !(there && bug == Some(Bug::BlindField)) {
            let mut map = self.child("ConfigMap", &song);
            let words = if bug == Some(Bug::UnreadField) {
                &json!("la")
            } else {
                &spec["song"]
            };
            map["metadata"]["labels"]["song"] = words.clone();
            map["data"] = json!({ "song": words });
            self.put::<ConfigMap>(&song, map).await?;
        }
        match spec["note"].as_str() {
            Some(text) => {
                let mut map = self.child("ConfigMap", &note);
                map["data"] = json!({ "note": text });
                self.put::<ConfigMap>(&note, map).await
            }
            None if bug == Some(Bug::NeverRemoves) => Ok(()),
            None => self.remove::<ConfigMap>(&note).await,
        }
    }

    async fn serve(&self) -> Result<()> {
        let mut service = self.child("Service", &self.name);
        service["spec"] = json!({"selector": {"flock": self.name}, "ports": [{"port": 80}]});
        if self.bug() != Some(Bug::FightsDefaults) {
            return self.put::<Service>(&self.name, service).await;
        }
        let api = self.api::<Service>();
        let wanted: Service = serde_json::from_value(service).map_err(kube::Error::SerdeError)?;
        match api.get_opt(&self.name).await? {
            None => drop(api.create(&PostParams::default(), &wanted).await?),
            Some(live) if live.spec != wanted.spec => {
                let change = json!({"spec": wanted.spec, "metadata": {"annotations": {"mended": live.resource_version()}}});
                api.patch(&self.name, &PatchParams::default(), &Patch::Merge(&change))
                    .await?;
            }
            Some(_) => {}
        }
        Ok(())
    }

    async fn sheep(&self) -> Result<()> {
        let wanted = self.flock.data["spec"]["sheep"]
            .as_i64()
            .unwrap_or_default();
        let api = self.api::<Pod>();
        if self.bug() == Some(Bug::CountsInCache) {
            return self.sheep_of_cache(wanted).await;
        }
        if self.bug() == Some(Bug::Forbidden) && wanted > 2 {
            Api::<Node>::all(self.shepherd.client.clone())
                .list(&ListParams::default())
                .await?;
        }
        let live = api
            .list(&ListParams::default().labels(&format!("flock={}", self.name)))
            .await?;
        let mine = live.items.iter().filter(|pod| self.is_mine(*pod));
        if self.bug() == Some(Bug::RandomNames) {
            return self.sheep_by_count(&mine.collect::<Vec<_>>(), wanted).await;
        }
        let there: Vec<String> = mine.map(ResourceExt::name_any).collect();
        let known = self.flock.data["status"]["observedGeneration"].is_number();
        for number in 0..wanted {
            let name = format!("{}-{number}", self.name);
            let blind = known && self.bug() == Some(Bug::NotRestored);
            if !there.contains(&name) && !blind {
                self.create_pod(self.pod(&json!({ "name": name }))).await?;
            }
        }
        if self.bug() == Some(Bug::NoScaleDown) {
            return Ok(());
        }
        for name in &there {
            let number = name
                .rsplit('-')
                .next()
                .and_then(|number| number.parse::<i64>().ok());
            if number.is_none_or(|number| number >= wanted) {
                self.remove::<Pod>(name).await?;
            }
        }
        Ok(())
    }

    /// As many as news told, which may be late.
    async fn sheep_of_cache(&self, wanted: i64) -> Result<()> {
        let state = self.shepherd.pods.state();
        let mine: Vec<_> = state
            .iter()
            .filter(|pod| self.is_mine(&***pod) && pod.metadata.deletion_timestamp.is_none())
            .map(|pod| &**pod)
            .collect();
        self.sheep_by_count(&mine, wanted).await
    }

    async fn sheep_by_count(&self, mine: &[&Pod], wanted: i64) -> Result<()> {
        let count = i64::try_from(mine.len()).unwrap_or_default();
        for _ in count..wanted {
            self.create_pod(self.pod(&json!({ "generateName": format!("{}-", self.name) })))
                .await?;
        }
        for pod in mine
            .iter()
            .skip(usize::try_from(wanted).unwrap_or_default())
        {
            self.remove::<Pod>(&pod.name_any()).await?;
        }
        Ok(())
    }

    async fn create_pod(&self, pod: Value) -> Result<()> {
        let pod: Pod = serde_json::from_value(pod).map_err(kube::Error::SerdeError)?;
        self.api::<Pod>()
            .create(&PostParams::default(), &pod)
            .await
            .map(drop)
    }

    fn pod(&self, metadata: &Value) -> Value {
        let mut pod = self.child("Pod", "");
        let own = pod["metadata"].as_object_mut();
        if let (Some(own), Some(given)) = (own, metadata.as_object()) {
            own.remove("name");
            own.extend(given.clone());
        }
        pod["spec"] = json!({"containers": [{"name": "sheep", "image": "example.com/sheep:v1"}], "terminationGracePeriodSeconds": 0});
        pod
    }

    /// Wrong, and only there for the bug: by name, whatever has it now.
    async fn forget_strays(&self) -> Result<()> {
        if self.bug() != Some(Bug::StaleDelete) {
            return Ok(());
        }
        let uid = self.flock.uid();
        for map in self.shepherd.maps.state() {
            let here = map.namespace() == self.flock.namespace();
            let stale = |owner: &OwnerReference| {
                owner.name == self.name && owner.kind == "Flock" && Some(&owner.uid) != uid.as_ref()
            };
            if here && map.owner_references().iter().any(stale) {
                self.remove::<ConfigMap>(&map.name_any()).await?;
            }
        }
        Ok(())
    }

    /// Applies an object, unless it is somebody else's.
    async fn put<K>(&self, name: &str, object: Value) -> Result<()>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
            + Clone
            + Debug
            + DeserializeOwned
            + Serialize,
    {
        let live = self.api::<K>().get_opt(name).await?;
        let taken = live.is_some_and(|live| !self.is_mine(&live));
        if taken && self.bug() != Some(Bug::Adopts) {
            return Err(not_ours(name));
        }
        self.apply::<K>(name, &object).await
    }

    async fn apply<K>(&self, name: &str, object: &Value) -> Result<()>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
            + Clone
            + Debug
            + DeserializeOwned,
    {
        let mut object = object.clone();
        let live = self.api::<K>().get_opt(name).await?;
        let taken =
            live.is_some_and(|live| !live.owner_references().is_empty() && !self.is_mine(&live));
        if taken && self.bug() == Some(Bug::Adopts) {
            // Whoever controlled it does not any more.
            let nobody = json!({"metadata": {"ownerReferences": null}});
            let _ = self
                .api::<K>()
                .patch(name, &PatchParams::default(), &Patch::Merge(&nobody))
                .await;
        }
        object["metadata"]["namespace"] = json!(self.namespace);
        let params = PatchParams::apply("shepherd").force();
        self.api::<K>()
            .patch(name, &params, &Patch::Apply(&object))
            .await
            .map(drop)
    }

    async fn remove<K>(&self, name: &str) -> Result<()>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
            + Clone
            + Debug
            + DeserializeOwned,
    {
        let api = self.api::<K>();
        let mut just_this = DeleteParams::default();
        if self.bug() != Some(Bug::StaleDelete) {
            match api.get_opt(name).await? {
                // What has come in its place since stays.
                Some(live) if self.is_mine(&live) => {
                    just_this.preconditions = Some(Preconditions {
                        uid: live.uid(),
                        resource_version: None,
                    });
                }
                _ => return Ok(()),
            }
        }
        match api.delete(name, &just_this).await {
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            other => other.map(drop),
        }
    }

    fn is_mine(&self, object: &impl ResourceExt) -> bool {
        let uid = self.flock.uid();
        object
            .owner_references()
            .iter()
            .any(|owner| Some(&owner.uid) == uid.as_ref())
    }

    fn child(&self, kind: &str, name: &str) -> Value {
        let owner = OwnerReference {
            api_version: "bugs.example.com/v1".into(),
            kind: "Flock".into(),
            name: self.name.clone(),
            uid: self.flock.uid().unwrap_or_default(),
            controller: Some(true),
            block_owner_deletion: Some(true),
        };
        json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name,
            "labels": {"flock": self.name}, "ownerReferences": [owner]}})
    }

    fn api<K>(&self) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    {
        Api::namespaced(self.shepherd.client.clone(), &self.namespace)
    }

    fn bug(&self) -> Option<Bug> {
        self.shepherd.bug
    }
}

fn not_ours(name: &str) -> kube::Error {
    let status = Status::failure(&format!("{name} belongs to somebody else"), "NotOurs");
    kube::Error::Api(status.boxed())
}
