//! What belongs to a coop.

use std::fmt::Debug;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{
    Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams, Preconditions,
};
use kube::core::Status;
use kube::{Client, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{Bug, Result};

pub struct Children<'a> {
    client: &'a Client,
    coop: &'a DynamicObject,
    name: String,
    bug: Option<Bug>,
}

/// Whatever can be a child.
pub trait Child:
    Resource<DynamicType = (), Scope = NamespaceResourceScope>
    + Clone
    + Debug
    + DeserializeOwned
    + Serialize
{
}
impl<K> Child for K where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + Clone
        + Debug
        + DeserializeOwned
        + Serialize
{
}

impl<'a> Children<'a> {
    pub fn new(client: &'a Client, coop: &'a DynamicObject, bug: Option<Bug>) -> Self {
        let name = coop.name_any();
        Self {
            client,
            coop,
            name,
            bug,
        }
    }

    /// Makes everything as the spec asks for.
    pub async fn tend(&self, hens: i64, before: Option<i64>) -> Result<()> {
        self.write_ledger().await?;
        self.feed().await?;
        self.tags().await?;
        self.nests(hens, before).await?;
        self.hens(hens).await
    }

    async fn hens(&self, hens: i64) -> Result<()> {
        let labels = json!({ "coop": self.name });
        let light = json!({ "light": self.light() });
        let spec = json!({"replicas": hens, "selector": {"matchLabels": labels}, "template": {
            "metadata": {"labels": labels, "annotations": light},
            "spec": {"containers": [{"name": "hen", "image": "example.com/hen:v1"}]}}});
        let is_right = |live: &Deployment| {
            let template = live.spec.template.metadata.as_ref();
            let is_lit = template.is_some_and(|template| json!(template.annotations) == light);
            is_lit && live.spec.replicas.map(i64::from) == Some(hens)
        };
        self.put::<Deployment>(&self.name, "apps/v1", json!({ "spec": spec }), is_right)
            .await
    }

    /// For how many seconds there is light.
    fn light(&self) -> String {
        let minutes = self.coop.data["spec"]["minutes"].as_i64().unwrap_or(1);
        if self.bug == Some(Bug::Overflow) {
            let seconds = i32::try_from(minutes).unwrap() * 60;
            return seconds.to_string();
        }
        (minutes * 60).to_string()
    }

    /// It cannot be changed, so another one takes its place.
    async fn feed(&self) -> Result<()> {
        let feed = &self.coop.data["spec"]["feed"];
        let name = format!("{}-feed", self.name);
        let grams = feed["grams"].as_i64().unwrap_or(3).to_string();
        let data = json!({"sort": feed["sort"].as_str().unwrap_or("corn"), "grams": grams});
        let is_right = |live: &ConfigMap| json!(live.data) == data;
        let api = self.api::<ConfigMap>();
        let live = api.get_opt(&name).await?;
        let is_new = self.coop.data["status"].is_null();
        if self.bug == Some(Bug::FeedGap) && live.is_none() && !is_new {
            return Ok(());
        }
        if let Some(live) = live
            && self.is_mine(&live)
            && !is_right(&live)
        {
            self.remove::<ConfigMap>(&name).await?;
        }
        let whole = json!({"immutable": true, "data": data});
        self.put::<ConfigMap>(&name, "v1", whole, is_right).await
    }

    async fn tags(&self) -> Result<()> {
        let tags = self.coop.data["spec"]
            .get("tags")
            .cloned()
            .unwrap_or(json!({}));
        let name = format!("{}-tags", self.name);
        let held = |live: &ConfigMap| json!(live.data.clone().unwrap_or_default());
        let api = self.api::<ConfigMap>();
        if self.bug == Some(Bug::StickyTags) && api.get_opt(&name).await?.is_some() {
            let change = json!({ "data": tags });
            api.patch(&name, &PatchParams::default(), &Patch::Merge(&change))
                .await?;
            return Ok(());
        }
        self.put::<ConfigMap>(&name, "v1", json!({ "data": tags }), |live| {
            held(live) == tags
        })
        .await
    }

    async fn nests(&self, hens: i64, before: Option<i64>) -> Result<()> {
        let name = |number: i64| format!("{}-nest-{number}", self.name);
        let all = ListParams::default().labels(&format!("coop={}", self.name));
        let nests = self.api::<Secret>().list(&all).await?.items;
        let strangers = nests.iter().filter(|nest| !self.is_mine(*nest)).count();
        let enough = match self.bug {
            Some(Bug::CountsStrangers) => hens - i64::try_from(strangers).unwrap(),
            _ => hens,
        };
        for number in 0..enough {
            let straw = json!({"stringData": {"straw": "yes"}});
            let is_right = |live: &Secret| {
                let straw = live.data.as_ref().and_then(|data| data.get("straw"));
                straw.is_some_and(|straw| straw.0 == b"yes")
            };
            self.put::<Secret>(&name(number), "v1", straw, is_right)
                .await?;
        }
        if self.bug == Some(Bug::NestsByMemory) {
            for number in hens..before.unwrap_or(hens) {
                self.remove::<Secret>(&name(number)).await?;
            }
            return Ok(());
        }
        for nest in self.api::<Secret>().list(&all).await? {
            let nest = nest.name_any();
            let number = nest
                .rsplit('-')
                .next()
                .and_then(|number| number.parse::<i64>().ok());
            if number.is_none_or(|number| number >= hens) {
                self.remove::<Secret>(&nest).await?;
            }
        }
        Ok(())
    }

    fn ledger(&self) -> String {
        format!("{}-ledger", self.name)
    }

    async fn write_ledger(&self) -> Result<()> {
        let api = self.api::<ConfigMap>();
        match api.get_opt(&self.ledger()).await? {
            Some(live) if live.annotations().get("coop") == Some(&self.name) => Ok(()),
            Some(_) => Err(not_ours(&self.ledger())),
            None => {
                let ledger = json!({"metadata": {"name": self.ledger(), "labels": {"coop": self.name},
                    "annotations": {"coop": self.name}}, "data": {"hens": "all"}});
                let ledger = serde_json::from_value(ledger).map_err(kube::Error::SerdeError)?;
                api.create(&PostParams::default(), &ledger).await.map(drop)
            }
        }
    }

    /// Nobody owns it, so it has to be taken away.
    pub async fn remove_ledger(&self) -> Result<()> {
        let api = self.api::<ConfigMap>();
        let by_prefix = self.bug == Some(Bug::LedgersByPrefix);
        let mine = if by_prefix {
            ListParams::default()
        } else {
            ListParams::default().labels(&format!("coop={}", self.name))
        };
        for map in api.list(&mine).await? {
            let coop = map.annotations().get("coop");
            let is_ledger = if by_prefix {
                coop.is_some_and(|coop| coop.starts_with(&self.name))
            } else {
                coop == Some(&self.name)
            };
            if is_ledger || self.bug == Some(Bug::EverybodysLedger) {
                gone(api.delete(&map.name_any(), &just_this(&map)).await)?;
            }
        }
        Ok(())
    }

    /// Creates an object, or updates it where it is not right; never one of somebody else's.
    async fn put<K: Child>(
        &self,
        name: &str,
        version: &str,
        object: Value,
        is_right: impl Fn(&K) -> bool,
    ) -> Result<()> {
        let api = self.api::<K>();
        let live = api.get_opt(name).await?;
        let version_of = live.as_ref().and_then(ResourceExt::resource_version);
        match &live {
            Some(live) if !self.is_mine(live) => return Err(not_ours(name)),
            Some(live) if is_right(live) => return Ok(()),
            _ => {}
        }
        let owner = json!({"apiVersion": "bugs.example.com/v1", "kind": "Coop", "name": self.name,
            "uid": self.coop.uid(), "controller": true, "blockOwnerDeletion": true});
        let mut whole = object;
        whole["apiVersion"] = json!(version);
        whole["metadata"] = json!({"name": name, "labels": {"coop": self.name},
            "ownerReferences": [owner], "resourceVersion": version_of});
        let whole: K = serde_json::from_value(whole).map_err(kube::Error::SerdeError)?;
        if live.is_some() {
            api.replace(name, &PostParams::default(), &whole)
                .await
                .map(drop)
        } else {
            api.create(&PostParams::default(), &whole).await.map(drop)
        }
    }

    async fn remove<K: Child>(&self, name: &str) -> Result<()> {
        let api = self.api::<K>();
        match api.get_opt(name).await? {
            Some(live) if self.is_mine(&live) => gone(api.delete(name, &just_this(&live)).await),
            _ => Ok(()),
        }
    }

    fn is_mine(&self, object: &impl ResourceExt) -> bool {
        let uid = self.coop.uid();
        let mut owners = object.owner_references().iter();
        owners.any(|owner| Some(&owner.uid) == uid.as_ref())
    }

    fn api<K: Child>(&self) -> Api<K> {
        Api::namespaced(
            self.client.clone(),
            &self.coop.namespace().unwrap_or_default(),
        )
    }
}

/// Of an object that was read: what has come in its place since stays.
fn just_this(object: &impl ResourceExt) -> DeleteParams {
    DeleteParams {
        preconditions: Some(Preconditions {
            uid: object.uid(),
            resource_version: None,
        }),
        ..DeleteParams::default()
    }
}

/// What is not there need not be deleted.
fn gone<T>(deleted: Result<T>) -> Result<()> {
    match deleted {
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
        other => other.map(drop),
    }
}

fn not_ours(name: &str) -> kube::Error {
    kube::Error::Api(
        Status::failure(&format!("{name} belongs to somebody else"), "NotOurs").boxed(),
    )
}
