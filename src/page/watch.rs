//! Watches of the kinds that the page shows.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::time::{Duration, Instant};

use futures_core::Stream;
use kube::Client;
use kube::api::{Api, ApiResource, DynamicObject, ListParams, WatchEvent, WatchParams};
use kube::core::GroupVersionKind;
use serde_json::{Value, json};

use super::handle::Page;
use super::redact::redact;
use super::update::UpdateContent;

/// Initial and longest delay before a failed watch is retried.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(20);
/// Maximum number of objects per list request.
const CHUNK: u32 = 500;

/// Watches resources, given as group and plural, each in its own task. Never returns. If the API
/// server does not serve a resource or forbids watching it, the watch is retried, because that may
/// change.
pub async fn watch(
    client: Client,
    resources: BTreeSet<(String, String)>,
    namespace: Option<String>,
    page: Page,
) {
    for (group, plural) in resources {
        let one = One {
            client: client.clone(),
            group,
            plural,
            namespace: namespace.clone(),
            page: page.clone(),
        };
        tokio::spawn(one.forever());
    }
    std::future::pending::<()>().await;
}

/// The watch of one resource.
struct One {
    client: Client,
    group: String,
    plural: String,
    /// The only namespace to watch; `None` for all.
    namespace: Option<String>,
    page: Page,
}

impl One {
    /// Watches the resource, and starts again after a delay whenever the watch ends.
    async fn forever(self) {
        // The objects reported so far, so that deletions missed between two watches can be reported
        // later.
        let mut reported = BTreeMap::new();
        let mut pause = PAUSE;
        loop {
            let start = Instant::now();
            if let Ok(Some(resource)) = self.served().await {
                let _ = self.once(&resource, &mut reported).await;
            }
            // A watch that has lasted counts as a success, after which the delay is short again.
            if start.elapsed() > LONGEST {
                pause = PAUSE;
            }
            tokio::time::sleep(pause).await;
            pause = LONGEST.min(pause * 2);
        }
    }

    /// Finds the kind and version of the resource by discovery; `None` if it is not served or
    /// cannot be watched.
    async fn served(&self) -> kube::Result<Option<ApiResource>> {
        let (version, list) = if self.group.is_empty() {
            (
                "v1".to_owned(),
                self.client.list_core_api_resources("v1").await?,
            )
        } else {
            let groups = self.client.list_api_groups().await?.groups;
            let group = groups.into_iter().find(|group| group.name == self.group);
            let preferred = group.and_then(|group| {
                group
                    .preferred_version
                    .or(group.versions.into_iter().next())
            });
            let Some(preferred) = preferred else {
                return Ok(None);
            };
            let list = self
                .client
                .list_api_group_resources(&preferred.group_version)
                .await?;
            (preferred.version, list)
        };
        let found = list
            .resources
            .into_iter()
            .find(|one| one.name == self.plural);
        let found = found.filter(|one| one.verbs.iter().any(|verb| verb == "watch"));
        Ok(found.map(|found| {
            let gvk = GroupVersionKind::gvk(&self.group, &version, &found.kind);
            ApiResource::from_gvk_with_plural(&gvk, &self.plural)
        }))
    }

    fn api(&self, resource: &ApiResource) -> Api<DynamicObject> {
        match &self.namespace {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, resource),
            None => Api::all_with(self.client.clone(), resource),
        }
    }

    /// Lists all objects, reports those deleted in the meantime, and follows the watch until it
    /// ends.
    async fn once(
        &self,
        resource: &ApiResource,
        reported: &mut BTreeMap<String, Value>,
    ) -> kube::Result<()> {
        let api = self.api(resource);
        let mut params = ListParams::default().limit(CHUNK);
        let mut version;
        let mut found = BTreeSet::new();
        loop {
            let list = api.list(&params).await?;
            for object in &list.items {
                found.extend(object.metadata.uid.clone());
                self.tell("ADDED", resource, object, reported);
            }
            version = list.metadata.resource_version.unwrap_or_default();
            params.continue_token = list.metadata.continue_.filter(|token| !token.is_empty());
            if params.continue_token.is_none() {
                break;
            }
        }
        let gone: Vec<_> = reported
            .keys()
            .filter(|uid| !found.contains(*uid))
            .cloned()
            .collect();
        for uid in gone {
            if let Some(object) = reported.remove(&uid) {
                self.page.send(UpdateContent::Object {
                    change: "DELETED".into(),
                    plural: self.plural.clone(),
                    object,
                });
            }
        }
        self.follow(&api, resource, &version, reported).await
    }

    /// Follows the watch from a resource version on. Starts it again where it ended, and returns
    /// only an error, after which the caller lists all objects again.
    async fn follow(
        &self,
        api: &Api<DynamicObject>,
        resource: &ApiResource,
        version: &str,
        reported: &mut BTreeMap<String, Value>,
    ) -> kube::Result<()> {
        let mut version = version.to_owned();
        loop {
            let mut events = pin!(api.watch(&WatchParams::default(), &version).await?);
            while let Some(event) =
                std::future::poll_fn(|context| events.as_mut().poll_next(context)).await
            {
                let (change, object) = match event? {
                    WatchEvent::Added(object) => ("ADDED", object),
                    WatchEvent::Modified(object) => ("MODIFIED", object),
                    WatchEvent::Deleted(object) => ("DELETED", object),
                    WatchEvent::Bookmark(bookmark) => {
                        version = bookmark.metadata.resource_version;
                        continue;
                    }
                    WatchEvent::Error(status) => return Err(kube::Error::Api(status)),
                };
                if let Some(newer) = &object.metadata.resource_version {
                    version.clone_from(newer);
                }
                self.tell(change, resource, &object, reported);
            }
        }
    }

    /// Sends a watch event to the page without secrets, and records in `reported` which objects
    /// exist.
    fn tell(
        &self,
        change: &str,
        resource: &ApiResource,
        object: &DynamicObject,
        reported: &mut BTreeMap<String, Value>,
    ) {
        let mut value = serde_json::to_value(object).expect("an object is JSON");
        // The items of a list have no `apiVersion` and `kind`.
        value["apiVersion"] = json!(resource.api_version);
        value["kind"] = json!(resource.kind);
        redact(&mut value);
        if let Some(uid) = object.metadata.uid.clone() {
            let metadata = json!({"uid": uid, "name": object.metadata.name, "namespace": object.metadata.namespace,
                "ownerReferences": object.metadata.owner_references});
            let short = json!({"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata});
            match change {
                "DELETED" => drop(reported.remove(&uid)),
                _ => drop(reported.insert(uid, short)),
            }
        }
        self.page.send(UpdateContent::Object {
            change: change.to_owned(),
            plural: self.plural.clone(),
            object: value,
        });
    }
}
