//! The cluster as the benchmark sees it: it makes and changes objects, waits for the operator, and
//! counts what was written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::pin::pin;
use std::time::{Duration, Instant};

use futures::TryStreamExt as _;
use k8s_openapi::ByteString;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Secret, Service},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::config::{Config, KubeConfigOptions, Kubeconfig};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use kube::{Client, ResourceExt as _};
use serde_json::json;
use tokio::task::JoinSet;

/// Requests of the benchmark itself that are under way at the same time.
const AT_ONCE: u64 = 8;
/// Nothing was written for this long: the operator is done.
const QUIET: Duration = Duration::from_secs(1);

const VERBS: [&str; 5] = ["POST", "PUT", "PATCH", "APPLY", "DELETE"];
const RESOURCES: [&str; 4] = ["lolcows", "deployments", "services", "events"];

pub struct World {
    client: Client,
    lolcows: Api<DynamicObject>,
}

impl World {
    pub async fn connect(kubeconfig: &Path) -> Self {
        let kubeconfig = Kubeconfig::read_from(kubeconfig).unwrap();
        let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
            .await
            .unwrap();
        let client = Client::try_from(config).unwrap();
        let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("my.domain", "v1alpha1", "Lolcow"));
        Self {
            lolcows: Api::default_namespaced_with(client.clone(), &kind),
            client,
        }
    }

    /// Installs a `CustomResourceDefinition` and waits until its objects can be listed.
    pub async fn install(&self, crd: &str) {
        let crd: CustomResourceDefinition = serde_yaml::from_str(crd).unwrap();
        Api::all(self.client.clone())
            .create(&PostParams::default(), &crd)
            .await
            .unwrap();
        while self
            .lolcows
            .list(&ListParams::default().limit(1))
            .await
            .is_err()
        {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    pub async fn create(&self, objects: u64, greeting: &str) {
        self.for_each(objects, |api, name| {
            let object = json!({
                "apiVersion": "my.domain/v1alpha1",
                "kind": "Lolcow",
                "metadata": { "name": name },
                "spec": { "greeting": greeting },
            });
            async move {
                let object = serde_json::from_value(object).unwrap();
                api.create(&PostParams::default(), &object).await.unwrap();
            }
        })
        .await;
    }

    /// Changes every greeting.
    pub async fn greet(&self, objects: u64, greeting: &str) {
        self.for_each(objects, |api, name| {
            let patch = json!({ "spec": { "greeting": greeting } });
            async move {
                api.patch(&name, &PatchParams::default(), &Patch::Merge(patch))
                    .await
                    .unwrap();
            }
        })
        .await;
    }

    /// Changes the object that a list has last, and waits until it is converged.
    pub async fn change_last(&self, objects: u64, generation: i64, greeting: &str) {
        let name = format!("cow-{}", "9".repeat(objects.ilog10() as usize));
        let patch = Patch::Merge(json!({ "spec": { "greeting": greeting } }));
        let params = PatchParams::default();
        let mut object = self.lolcows.patch(&name, &params, &patch).await.unwrap();
        while !is_converged(&object, generation) {
            tokio::time::sleep(Duration::from_millis(10)).await;
            object = self.lolcows.get(&name).await.unwrap();
        }
    }

    /// Creates Secrets with `bytes` bytes of data each.
    pub async fn create_secrets(&self, secrets: u64, bytes: usize) {
        let api = Api::<Secret>::default_namespaced(self.client.clone());
        let data = ByteString(vec![b'x'; bytes]);
        for_each(secrets, |n| {
            let mut secret = Secret::default();
            secret.metadata.name = Some(format!("foreign-{n}"));
            secret.data = Some(BTreeMap::from([("data".to_owned(), data.clone())]));
            let api = api.clone();
            async move {
                api.create(&PostParams::default(), &secret).await.unwrap();
            }
        })
        .await;
    }

    async fn for_each<F>(&self, objects: u64, request: impl Fn(Api<DynamicObject>, String) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        for_each(objects, |n| {
            request(self.lolcows.clone(), format!("cow-{n}"))
        })
        .await;
    }
    /// Waits until all objects are at `generation`, observed and Ready.
    pub async fn converged(&self, objects: u64, generation: i64) {
        let limit = Duration::from_secs(120 + objects / 5);
        let done = self.watch_until_converged(usize::try_from(objects).unwrap(), generation);
        let done = tokio::time::timeout(limit, done).await;
        assert!(
            done.is_ok(),
            "not every object is converged after {limit:?}"
        );
    }

    async fn watch_until_converged(&self, objects: usize, generation: i64) {
        let list = self.lolcows.list(&ListParams::default()).await.unwrap();
        let mut version = list.metadata.resource_version.unwrap();
        let mut converged = BTreeSet::new();
        let mut seen = |object: &DynamicObject| {
            if is_converged(object, generation) {
                converged.insert(object.name_any());
            } else {
                converged.remove(&object.name_any());
            }
            converged.len() == objects
        };
        if list.items.iter().any(&mut seen) {
            return;
        }
        loop {
            let watch = self
                .lolcows
                .watch(&WatchParams::default(), &version)
                .await
                .unwrap();
            let mut watch = pin!(watch);
            while let Some(event) = watch.try_next().await.unwrap() {
                if let WatchEvent::Modified(object) = event {
                    version = object.resource_version().unwrap();
                    if seen(&object) {
                        return;
                    }
                }
            }
        }
    }

    /// Every object has its Deployment with the greeting, and its Service.
    pub async fn check_children(&self, objects: u64, greeting: &str) {
        let all = ListParams::default();
        let deployments = Api::<Deployment>::default_namespaced(self.client.clone())
            .list(&all)
            .await
            .unwrap();
        let greets = |deployment: &&Deployment| {
            let pod = deployment.spec.template.spec.as_ref().unwrap();
            let env = pod.containers[0].env.as_ref().unwrap();
            env.iter().any(|env| env.value.as_deref() == Some(greeting))
        };
        let greeting = deployments.items.iter().filter(greets).count();
        let services = Api::<Service>::default_namespaced(self.client.clone())
            .list(&all)
            .await
            .unwrap();
        let owned = services
            .items
            .iter()
            .filter(|service| service.metadata.owner_references.is_some())
            .count();
        let objects = usize::try_from(objects).unwrap();
        assert_eq!(
            (greeting, owned),
            (objects, objects),
            "children that are as they should be"
        );
    }

    /// Waits until nothing more is written, and returns what the API server has counted so far.
    pub async fn settled(&self) -> Counters {
        let mut counters = self.counters().await;
        let mut since = Instant::now();
        while since.elapsed() < QUIET {
            tokio::time::sleep(Duration::from_millis(200)).await;
            let now = self.counters().await;
            if now.writes != counters.writes {
                since = Instant::now();
            }
            counters = now;
        }
        counters
    }

    async fn counters(&self) -> Counters {
        let request = http::Request::get("/metrics").body(Vec::new()).unwrap();
        let text = self.client.request_text(request).await.unwrap();
        let mut counters = Counters::default();
        for line in text.lines() {
            if let Some(seconds) = line.strip_prefix("process_cpu_seconds_total ") {
                counters.cpu_seconds = seconds.parse().unwrap();
            }
            if let Some(what) = write(line) {
                let count: u64 = line.rsplit_once(' ').unwrap().1.parse().unwrap();
                *counters.writes.entry(what).or_default() += count;
            }
        }
        counters
    }
}

/// Sends a request for each number, several at a time.
async fn for_each<F>(count: u64, request: impl Fn(u64) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut running = JoinSet::new();
    for n in 0..count {
        if n >= AT_ONCE {
            running.join_next().await.unwrap().unwrap();
        }
        running.spawn(request(n));
    }
    while let Some(ended) = running.join_next().await {
        ended.unwrap();
    }
}

/// The requests that the API server has handled since its start.
#[derive(Clone, Default)]
pub struct Counters {
    /// By verb and resource, whatever came of them.
    pub writes: BTreeMap<String, u64>,
    pub cpu_seconds: f64,
}

impl Counters {
    /// Returns the requests since `earlier`, without `own` writes of the benchmark itself.
    pub fn since(mut self, earlier: &Self, own: (&str, u64)) -> Self {
        for (what, writes) in &mut self.writes {
            *writes -= earlier.writes.get(what).unwrap_or(&0);
            if what == own.0 {
                *writes -= own.1;
            }
        }
        self.writes.retain(|_, writes| *writes > 0);
        self.cpu_seconds -= earlier.cpu_seconds;
        self
    }
}

/// The verb and the resource, if a line counts writes that are of interest.
fn write(line: &str) -> Option<String> {
    let labels = line.strip_prefix("apiserver_request_total{")?;
    let label = |name: &str| {
        let (_, rest) = labels.split_once(&format!(",{name}=\""))?;
        Some(rest.split_once('"')?.0)
    };
    let (verb, resource) = (label("verb")?, label("resource")?);
    let subresource = label("subresource")?;
    let slash = if subresource.is_empty() { "" } else { "/" };
    let counts = VERBS.contains(&verb) && RESOURCES.contains(&resource);
    counts.then(|| format!("{verb} {resource}{slash}{subresource}"))
}

fn is_converged(object: &DynamicObject, generation: i64) -> bool {
    let status = &object.data["status"];
    let ready = status["conditions"]
        .as_array()
        .into_iter()
        .flatten()
        .any(|condition| condition["type"] == "Ready" && condition["status"] == "True");
    object.metadata.generation == Some(generation)
        && status["observedGeneration"] == generation
        && ready
}
