//! The live objects of the control plane, kept current by a list and a watch for each kind.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DynamicObject, ListParams, WatchEvent, WatchParams};
use kube::discovery::{ApiGroup, ApiResource, Discovery, Scope, verbs};
use kube::{Client, ResourceExt as _};
use serde_json::Value;
use tokio::task::JoinHandle;

use crate::torture::api::call::Resource;
use crate::torture::api::rejection::is_conversion_refusal;
use crate::torture::error::{Error, Result};
use crate::torture::load::LoadMeter;

/// The time in which the API server must have listed every kind once, on an idle machine.
const LISTS_WITHIN: Duration = Duration::from_secs(60);

/// The time in which the API server must list the kind of an established CRD.
const DISCOVERED_WITHIN: Duration = Duration::from_secs(30);

/// A kind that the API server serves.
#[derive(Clone, Debug)]
pub struct ServedKind {
    /// The kind in the version that the API server prefers, unless [`Self::in_version_of`] has
    /// changed it.
    pub resource: ApiResource,
    /// False if its objects are cluster-scoped.
    pub namespaced: bool,
}

impl ServedKind {
    /// Returns the kind in the API version that `apiVersion` of the object names.
    #[must_use]
    pub fn in_version_of(&self, object: &Value) -> Self {
        let mut kind = self.clone();
        if let Some(version) = object["apiVersion"].as_str() {
            version.clone_into(&mut kind.resource.api_version);
            let version = version.rsplit('/').next().unwrap_or_default();
            version.clone_into(&mut kind.resource.version);
        }
        kind
    }
}

/// Returns the kinds of the CRDs that the API server has accepted, each in a version that it
/// serves.
async fn established_crds(client: &Client) -> Result<Vec<Resource>> {
    let all: Api<CustomResourceDefinition> = Api::all(client.clone());
    let all = all.list(&ListParams::default()).await;
    let all = all.map_err(Error::api("list the CRDs"))?.items.into_iter();
    let is_established = |crd: &CustomResourceDefinition| {
        let conditions = crd
            .status
            .iter()
            .flat_map(|it| it.conditions.iter().flatten());
        let mut conditions = conditions.map(|it| (it.type_.as_str(), it.status.as_str()));
        conditions.any(|it| it == ("Established", "True"))
    };
    let kinds = all.filter(is_established).filter_map(|crd| {
        let version = crd.spec.versions.into_iter().find(|it| it.served)?;
        Some(Resource {
            group: crd.spec.group,
            version: version.name,
            plural: crd.spec.names.plural,
        })
    });
    Ok(kinds.collect())
}

/// The kinds that the API server serves, by group and plural.
#[derive(Debug, Default)]
pub struct ServedKinds(BTreeMap<(String, String), ServedKind>);

impl ServedKinds {
    /// Discovers the kinds that can be watched. Waits up to [`DISCOVERED_WITHIN`] for those of
    /// installed CRDs: the API server serves the objects of a new CRD before it lists the kind.
    pub async fn discover(client: &Client) -> Result<Self> {
        let crds = established_crds(client).await?;
        let since = Instant::now();
        loop {
            let kinds = Self::listed(client).await?;
            let is_complete = crds.iter().all(|crd| kinds.of(crd).is_some());
            if is_complete || since.elapsed() > DISCOVERED_WITHIN {
                return Ok(kinds);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Returns the kinds that the API server lists now.
    async fn listed(client: &Client) -> Result<Self> {
        let discovery = Discovery::new(client.clone()).run().await;
        let discovery = discovery.map_err(Error::api("ask for the kinds of the API server"))?;
        let mut kinds = BTreeMap::new();
        // A kind need not exist in the version that the API server prefers for its group.
        let preferred = discovery.groups().flat_map(ApiGroup::recommended_resources);
        let others = discovery
            .groups()
            .flat_map(ApiGroup::resources_by_stability);
        for (resource, capabilities) in preferred.chain(others) {
            if capabilities.supports_operation(verbs::WATCH) {
                let key = (resource.group.clone(), resource.plural.clone());
                let namespaced = capabilities.scope == Scope::Namespaced;
                kinds.entry(key).or_insert(ServedKind {
                    resource,
                    namespaced,
                });
            }
        }
        Ok(Self(kinds))
    }

    /// Returns the kind of a resource, whose version is ignored; `None` if it is not served.
    pub fn of(&self, resource: &Resource) -> Option<&ServedKind> {
        self.0
            .get(&(resource.group.clone(), resource.plural.clone()))
    }

    /// Returns the kind of an object in the version that the API server prefers; `None` if it is
    /// not served.
    pub fn of_object(&self, object: &Value) -> Option<&ServedKind> {
        let version = object["apiVersion"].as_str()?;
        let group = version.split_once('/').map_or("", |(group, _)| group);
        let mut kinds = self.0.values();
        kinds.find(|kind| {
            kind.resource.group == group && object["kind"] == kind.resource.kind.as_str()
        })
    }

    /// Returns the kind of an object in the version that the object has.
    pub fn of_written(&self, object: &Value) -> Option<ServedKind> {
        Some(self.of_object(object)?.in_version_of(object))
    }

    /// Returns the kinds that any of the names may mean: `pods`, `deployments.apps`, `Deployment`.
    /// Two names may mean one kind.
    ///
    /// # Errors
    /// Returns an error if the API server does not serve one of them.
    pub fn all_called(&self, words: &[String]) -> Result<BTreeSet<Resource>> {
        let mut all = BTreeSet::new();
        for word in words {
            let mut meant = self.called(word).peekable();
            if meant.peek().is_none() {
                let resource = word.clone();
                return Err(Error::NotServed { resource });
            }
            all.extend(meant);
        }
        Ok(all)
    }

    /// Returns the kinds that a name may mean: `pods`, `deployments.apps`, `Deployment`.
    fn called(&self, word: &str) -> impl Iterator<Item = Resource> {
        let kinds = self.0.values().map(|kind| &kind.resource);
        let meant = kinds.filter(move |it| {
            let names = [&it.plural, &it.kind, &format!("{}.{}", it.plural, it.group)];
            names.iter().any(|name| name.eq_ignore_ascii_case(word))
        });
        meant.map(Resource::from)
    }

    /// Returns the resource of an object in the version that the API server prefers; `None` if it
    /// is not served.
    pub fn resource_of(&self, object: &Value) -> Option<Resource> {
        Some((&self.of_object(object)?.resource).into())
    }

    /// Reports whether objects of a kind change all the time or are derived from others.
    fn is_noise(kind: &ServedKind) -> bool {
        const NOISE: [&str; 6] = [
            "events",
            "leases",
            "endpoints",
            "endpointslices",
            "controllerrevisions",
            "nodes",
        ];
        NOISE.contains(&kind.resource.plural.as_str())
    }
}

type ObjectKey = (String, String, String, String);

#[derive(Debug, Default)]
struct ViewState {
    /// By group, plural, namespace and name.
    objects: BTreeMap<ObjectKey, Value>,
    /// The time of the last change in each namespace.
    changed: BTreeMap<String, Instant>,
    /// The kinds, by group and plural, that have not been listed yet.
    unlisted: BTreeSet<(String, String)>,
    /// A kind with an object that the conversion webhook does not convert, and the message of the
    /// API server.
    unconverted: Option<(Resource, String)>,
}

/// A view of the live objects of the cluster, without their `managedFields`. Clones share it. The
/// watches end when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct ClusterView {
    store: Arc<Mutex<ViewState>>,
    watchers: Arc<KindWatchers>,
}

#[derive(Debug)]
struct KindWatchers(Vec<JoinHandle<()>>);

impl Drop for KindWatchers {
    fn drop(&mut self) {
        for watcher in &self.0 {
            watcher.abort();
        }
    }
}

impl ClusterView {
    /// Starts to watch all kinds except noisy ones, and returns when each has been listed once, so
    /// that later runs know which objects existed before them.
    ///
    /// # Errors
    /// Returns an error if a conversion webhook refuses an object, or if the API server does not
    /// list a kind within [`LISTS_WITHIN`].
    pub async fn follow(client: &Client, kinds: &ServedKinds) -> Result<Self> {
        let view = Self::start(client, kinds);
        let (since, mut load) = (Instant::now(), LoadMeter::default());
        loop {
            let unlisted = view.with(|store| store.unlisted.clone());
            if unlisted.is_empty() {
                return Ok(view);
            }
            if let Some((resource, message)) = view.with(|store| store.unconverted.take()) {
                return Err(Error::NotConverted { resource, message });
            }
            load.sample();
            if since.elapsed() > load.stretch(LISTS_WITHIN) {
                let kinds = kinds.0.iter().filter(|(key, _)| unlisted.contains(*key));
                return Err(Error::NotListed {
                    resources: kinds.map(|(_, kind)| (&kind.resource).into()).collect(),
                });
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn start(client: &Client, kinds: &ServedKinds) -> Self {
        let kinds = || {
            kinds
                .0
                .iter()
                .filter(|(_, kind)| !ServedKinds::is_noise(kind))
        };
        let store = Arc::new(Mutex::new(ViewState {
            unlisted: kinds().map(|(key, _)| key.clone()).collect(),
            ..ViewState::default()
        }));
        let watchers = kinds().map(|(_, kind)| {
            let follower = KindWatcher {
                api: Api::all_with(client.clone(), &kind.resource),
                resource: kind.resource.clone(),
                store: store.clone(),
            };
            tokio::spawn(follower.run())
        });
        Self {
            watchers: Arc::new(KindWatchers(watchers.collect())),
            store,
        }
    }

    /// Returns the objects of a namespace, or the cluster-scoped ones if it is empty.
    pub fn objects(&self, namespace: &str) -> Vec<Value> {
        self.with(|store| {
            let objects = store.objects.iter();
            let here = objects.filter(|((_, _, place, _), _)| place == namespace);
            here.map(|(_, object)| object.clone()).collect()
        })
    }

    /// Returns the objects outside of a namespace whose names contain its name, which shows that
    /// they belong to its run.
    pub fn elsewhere(&self, namespace: &str) -> Vec<Value> {
        self.with(|store| {
            let objects = store
                .objects
                .iter()
                .filter(|((_, plural, place, name), _)| {
                    plural != "namespaces" && place != namespace && name.contains(namespace)
                });
            objects.map(|(_, object)| object.clone()).collect()
        })
    }

    /// Returns the time at which the view saw the last change in a namespace, or of a
    /// cluster-scoped object if it is empty; `None` if it saw none.
    pub fn changed(&self, namespace: &str) -> Option<Instant> {
        self.with(|store| store.changed.get(namespace).copied())
    }

    /// Waits until the view contains the result of a write, given the object in the response of the
    /// API server. Gives up after 5 s.
    pub async fn wait_until_contains(&self, kind: &ServedKind, answer: &Value) {
        let text = |key: &str| {
            answer["metadata"][key]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        let resource = &kind.resource;
        let place = (
            resource.group.clone(),
            resource.plural.clone(),
            text("namespace"),
            text("name"),
        );
        let version = |object: &Value| {
            object["metadata"]["resourceVersion"]
                .as_str()
                .and_then(|v| v.parse::<u64>().ok())
        };
        let wanted = version(answer);
        let limit = Instant::now() + Duration::from_secs(5);
        let is_seen = |store: &mut ViewState| {
            store
                .objects
                .get(&place)
                .is_none_or(|object| version(object) >= wanted)
        };
        // A created object must be present; a deleted one may be absent.
        let made = answer["metadata"]["deletionTimestamp"].is_null();
        while Instant::now() < limit
            && !self.with(|store| is_seen(store) && (!made || store.objects.contains_key(&place)))
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut ViewState) -> T) -> T {
        // Nothing else reads the field, which matters only when it is dropped.
        let _ = &self.watchers;
        work(&mut self.store.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Lists and watches one kind.
struct KindWatcher {
    api: Api<DynamicObject>,
    resource: ApiResource,
    store: Arc<Mutex<ViewState>>,
}

impl KindWatcher {
    async fn run(self) {
        loop {
            if let Some(version) = self.list().await {
                self.watch(version).await;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    async fn list(&self) -> Option<String> {
        let list = match self.api.list(&ListParams::default()).await {
            Ok(list) => list,
            Err(error) => {
                self.note_refusal(&error);
                return None;
            }
        };
        let version = list.metadata.resource_version.clone()?;
        self.with(|store| {
            let (group, plural) = (&self.resource.group, &self.resource.plural);
            store
                .objects
                .retain(|(g, p, _, _), _| g != group || p != plural);
        });
        for object in list.items {
            self.put(object, true);
        }
        let key = (self.resource.group.clone(), self.resource.plural.clone());
        self.with(|store| store.unlisted.remove(&key));
        Some(version)
    }

    fn note_refusal(&self, error: &kube::Error) {
        if let kube::Error::Api(status) = error
            && is_conversion_refusal(&status.message)
        {
            let refused = (Resource::from(&self.resource), status.message.clone());
            self.with(|store| store.unconverted = Some(refused));
        }
    }

    /// Applies watch events until the watch ends, as it does every few minutes.
    async fn watch(&self, mut version: String) {
        loop {
            let Ok(events) = self.api.watch(&WatchParams::default(), &version).await else {
                return;
            };
            let mut events = std::pin::pin!(events);
            while let Some(event) = next(&mut events).await {
                match event {
                    Ok(WatchEvent::Added(object) | WatchEvent::Modified(object)) => {
                        version = object.resource_version().unwrap_or(version);
                        self.put(object, true);
                    }
                    Ok(WatchEvent::Deleted(object)) => {
                        version = object.resource_version().unwrap_or(version);
                        self.put(object, false);
                    }
                    Ok(WatchEvent::Bookmark(bookmark)) => {
                        version = bookmark.metadata.resource_version;
                    }
                    _ => return,
                }
            }
        }
    }

    fn put(&self, mut object: DynamicObject, is_there: bool) {
        let namespace = object.namespace().unwrap_or_default();
        object.metadata.managed_fields = None;
        // Items of a list have no `apiVersion` and `kind`.
        object.types = Some(kube::core::TypeMeta {
            api_version: self.resource.api_version.clone(),
            kind: self.resource.kind.clone(),
        });
        let place = (
            self.resource.group.clone(),
            self.resource.plural.clone(),
            namespace.clone(),
            object.name_any(),
        );
        let value = serde_json::to_value(&object).unwrap_or_default();
        self.with(|store| {
            store.changed.insert(namespace, Instant::now());
            if is_there {
                store.objects.insert(place, value);
            } else {
                store.objects.remove(&place);
            }
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut ViewState) -> T) -> T {
        work(&mut self.store.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns the next item of a stream.
async fn next<S: futures_core::Stream>(stream: &mut std::pin::Pin<&mut S>) -> Option<S::Item> {
    std::future::poll_fn(|context| stream.as_mut().poll_next(context)).await
}

#[cfg(test)]
mod tests {
    use kube::core::GroupVersionKind;
    use serde_json::json;

    use super::*;

    fn kinds() -> ServedKinds {
        let kind = |group: &str, version: &str, name: &str| {
            let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, name));
            let namespaced = true;
            let key = (resource.group.clone(), resource.plural.clone());
            (
                key,
                ServedKind {
                    resource,
                    namespaced,
                },
            )
        };
        let all = [
            kind("apps", "v1", "Deployment"),
            kind("my.domain", "v2", "Cow"),
        ];
        ServedKinds(all.into_iter().collect())
    }

    #[test]
    fn two_names_may_mean_one_kind() {
        let called = |words: &[&str]| {
            let words: Vec<_> = words.iter().map(ToString::to_string).collect();
            kinds().all_called(&words)
        };
        let all = called(&["Deployment", "deployments.apps", "cows", "cows"]).unwrap();
        assert_eq!(all.len(), 2);
        let error = called(&["Deployment", "barns"]).unwrap_err().to_string();
        assert_eq!(
            error,
            "the API server does not serve barns, which the operator or a sample needs"
        );
    }

    #[test]
    fn an_object_is_made_in_the_version_that_it_is_written_in() {
        let cow = json!({"apiVersion": "my.domain/v1alpha1", "kind": "Cow"});
        let path = |kind: &ServedKind| Resource::from(&kind.resource).path(Some("a"));
        let written = kinds().of_written(&cow).unwrap();
        assert_eq!(path(&written), "/apis/my.domain/v1alpha1/namespaces/a/cows");
        assert_eq!(written.resource.api_version, "my.domain/v1alpha1");
        let kinds = kinds();
        let known = kinds.of_object(&cow).unwrap();
        assert_eq!(path(known), "/apis/my.domain/v2/namespaces/a/cows");
    }

    #[test]
    fn objects_named_after_the_namespace_belong_to_the_run() {
        let place = |plural: &str, namespace: &str, name: &str| {
            let parts = ["", plural, namespace, name].map(str::to_owned);
            (parts.into(), json!(name))
        };
        let objects = [
            place("namespaces", "", "torture-00007"),
            place("clusterroles", "", "torture-00007-moo"),
            place("configmaps", "kube-public", "entry.torture-00007.moo"),
            place("configmaps", "kube-public", "entry.torture-00008.moo"),
            place("configmaps", "torture-00007", "torture-00007-moo"),
        ];
        let store = ViewState {
            objects: objects.into_iter().collect(),
            ..ViewState::default()
        };
        let view = ClusterView {
            store: Arc::new(Mutex::new(store)),
            watchers: Arc::new(KindWatchers(Vec::new())),
        };
        let found = view.elsewhere("torture-00007");
        assert_eq!(
            found,
            [json!("torture-00007-moo"), json!("entry.torture-00007.moo")]
        );
    }

    #[test]
    fn a_kind_is_called_as_kubectl_calls_it() {
        let kinds = kinds();
        for word in [
            "deployments",
            "Deployment",
            "deployment",
            "deployments.apps",
        ] {
            let found: Vec<_> = kinds.called(word).map(|it| it.to_string()).collect();
            assert_eq!(found, ["deployments.apps"], "{word}");
        }
        assert_eq!(kinds.called("barns").count(), 0);
    }
}
