//! An operator that keeps flocks: as many Pods as there are sheep, a `ConfigMap` with the song,
//! another with the note if there is one, a Service, and a record that nobody owns and that the
//! operator itself takes away.
//!
//! Without an argument it does all of it right. With `--bug NAME` it does one thing wrong.

#![allow(clippy::print_stdout, reason = "its log")]
#![allow(clippy::unwrap_used, reason = "one of the bugs")]

mod bug;
mod children;

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Service};
use kube::api::{Api, ApiResource, DynamicObject, ListParams, Patch, PatchParams};
use kube::core::GroupVersionKind;
use kube::runtime::controller::Action;
use kube::runtime::reflector::Store;
use kube::runtime::{Controller, WatchStreamExt as _, reflector, watcher};
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};

use bug::Bug;
use children::Children;

/// Keeps a flock until its record is gone.
const FINALIZER: &str = "bugs.example.com/record";
/// How soon what failed is tried again.
const AGAIN: Duration = Duration::from_millis(1500);

/// What the operator knows.
struct Shepherd {
    client: Client,
    flocks: ApiResource,
    bug: Option<Bug>,
    /// The caches of Pods and `ConfigMaps`, which may be out of date. The operator without a bug
    /// does not read them.
    pods: Store<Pod>,
    maps: Store<ConfigMap>,
}

type Result<T, E = kube::Error> = std::result::Result<T, E>;

#[tokio::main]
async fn main() {
    let client = Client::try_default().await.unwrap();
    let flocks = ApiResource::from_gvk(&GroupVersionKind::gvk("bugs.example.com", "v1", "Flock"));
    let config = watcher::Config::default;
    let (pods, pods_writer) = reflector::store();
    let (maps, maps_writer) = reflector::store();
    let pod_news = reflector(
        pods_writer,
        watcher(Api::<Pod>::all(client.clone()), config()),
    );
    let map_news = reflector(
        maps_writer,
        watcher(Api::<ConfigMap>::all(client.clone()), config()),
    );
    let bug = bug::from_arguments();
    begins(&client, bug).await;
    let shepherd = Shepherd {
        client: client.clone(),
        flocks: flocks.clone(),
        bug,
        pods,
        maps,
    };
    let services = Api::<Service>::all(client.clone());
    Controller::new_with(
        Api::<DynamicObject>::all_with(client, &flocks),
        config(),
        flocks,
    )
    .owns(services, config())
    .owns_stream(pod_news.default_backoff().touched_objects())
    .owns_stream(map_news.default_backoff().touched_objects())
    .run(
        reconcile,
        |_, error, _| {
            println!("failed: {error}");
            Action::requeue(AGAIN)
        },
        Arc::new(shepherd),
    )
    .for_each(|_| std::future::ready(()))
    .await;
}

/// Waits until it may begin, which is at once but for two of the bugs.
async fn begins(client: &Client, bug: Option<Bug>) {
    let barns = ApiResource::from_gvk(&GroupVersionKind::gvk("bugs.example.com", "v1", "Barn"));
    let barns = Api::<DynamicObject>::all_with(client.clone(), &barns);
    let pods = Api::<Pod>::all(client.clone());
    let all = ListParams::default();
    loop {
        match bug {
            Some(Bug::NeedsBarns) if barns.list(&all).await.is_err() => {}
            Some(Bug::NeverReady) => drop(pods.list(&all).await),
            _ => return,
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn reconcile(known: Arc<DynamicObject>, shepherd: Arc<Shepherd>) -> Result<Action> {
    let flocks = shepherd.flocks(&known);
    // What news told may be late; this is not.
    let Some(flock) = flocks.get_opt(&known.name_any()).await? else {
        return Ok(Action::await_change());
    };
    let is_leaving = flock.metadata.deletion_timestamp.is_some();
    let children = Children::new(&shepherd, &flock);
    if is_leaving && shepherd.bug != Some(Bug::IgnoresDeletion) {
        return shepherd.let_go(&flock, &children).await;
    }
    if !is_leaving && !flock.finalizers().iter().any(|name| name == FINALIZER) {
        let mut finalizers = flock.finalizers().to_vec();
        finalizers.push(FINALIZER.into());
        shepherd.set_finalizers(&flock, &finalizers).await?;
    }
    if shepherd.bug == Some(Bug::StuckAfterError)
        && flock.data["status"]["conditions"][0]["status"] == "False"
    {
        return Ok(Action::await_change());
    }
    if shepherd.bug == Some(Bug::StatusFirst) {
        if flock.data["status"]["conditions"][0]["status"] == "True" && children.is_settled() {
            return Ok(Action::await_change());
        }
        shepherd.say(&flock, None).await?;
    }
    match children.tend().await {
        Ok(()) => {
            shepherd.say(&flock, None).await?;
            Ok(Action::await_change())
        }
        Err(error) => {
            if shepherd.bug != Some(Bug::SilentRefusal) {
                shepherd.say(&flock, Some(&error.to_string())).await?;
            }
            Err(error)
        }
    }
}

impl Shepherd {
    fn flocks(&self, flock: &DynamicObject) -> Api<DynamicObject> {
        let namespace = flock.namespace().unwrap_or_default();
        Api::namespaced_with(self.client.clone(), &namespace, &self.flocks)
    }

    /// Takes away what nobody owns, and then lets the flock go.
    async fn let_go(&self, flock: &DynamicObject, children: &Children<'_>) -> Result<Action> {
        if !flock.finalizers().iter().any(|name| name == FINALIZER) {
            return Ok(Action::await_change());
        }
        let others: Vec<String> = flock
            .finalizers()
            .iter()
            .filter(|name| *name != FINALIZER)
            .cloned()
            .collect();
        if self.bug == Some(Bug::FinalizerFirst) {
            self.set_finalizers(flock, &others).await?;
            children.remove_record().await?;
        } else {
            if self.bug != Some(Bug::Leftover) {
                children.remove_record().await?;
            }
            if self.bug != Some(Bug::StuckDeletion) {
                self.set_finalizers(flock, &others).await?;
            }
        }
        Ok(Action::await_change())
    }

    async fn set_finalizers(&self, flock: &DynamicObject, finalizers: &[String]) -> Result<()> {
        let change = json!({"metadata": {"finalizers": finalizers, "resourceVersion": flock.resource_version()}});
        let name = flock.name_any();
        self.flocks(flock)
            .patch(&name, &PatchParams::default(), &Patch::Merge(&change))
            .await?;
        Ok(())
    }

    /// Says that all is well, or what is not; only where it does not say so already.
    async fn say(&self, flock: &DynamicObject, problem: Option<&str>) -> Result<()> {
        let (status, reason) = match problem {
            None => ("True", "Grazing"),
            Some(_) => ("False", "Refused"),
        };
        let condition = json!({"type": "Ready", "status": status, "reason": reason});
        let wanted =
            json!({"conditions": [condition], "observedGeneration": flock.metadata.generation});
        let now = flock.data.get("status").unwrap_or(&Value::Null);
        if *now != wanted {
            let change = json!({"status": wanted});
            self.flocks(flock)
                .patch_status(
                    &flock.name_any(),
                    &PatchParams::default(),
                    &Patch::Merge(&change),
                )
                .await?;
        }
        Ok(())
    }
}
