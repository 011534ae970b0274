//! An operator of mills: a Deployment, a `StatefulSet` with a claim, a Service, a `ConfigMap` and a
//! Secret with a new password, all by server-side apply, and a finalizer.
//!
//! Without an argument it is the first release. With `--release NAME` it is a later release with
//! one change. With `--elect` first, it works while it holds a Lease in the namespace of the run.

#![allow(clippy::print_stdout, reason = "its log")]
#![allow(clippy::unwrap_used, reason = "a failure ends the operator")]

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use k8s_openapi::api::apps::v1::{Deployment, StatefulSet};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret, Service};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kube::api::{
    Api, ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams,
};
use kube::core::GroupVersionKind;
use kube::runtime::controller::Action;
use kube::runtime::{Controller, watcher};
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;

const GROUP: &str = "upgrades.example.com";
const AGAIN: Duration = Duration::from_millis(1500);

/// The time after which a Lease that nobody renews is free.
const EXPIRES: SignedDuration = SignedDuration::from_secs(2);

/// The change of a release.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Release {
    /// The first release, without a change.
    First,
    /// Selects Pods by another label, which a Deployment does not allow.
    RenamedSelector,
    /// Requests a larger claim, which a `StatefulSet` does not allow.
    ClaimTemplate,
    /// Sets an environment variable in the Pods of the Deployment.
    NewDefault,
    /// Sets and removes another finalizer.
    RenamedFinalizer,
    /// Applies with another field manager, without a label.
    FieldManager,
    /// Updates by merge patches with another field manager, without a label.
    MergePatch,
    /// Names the `ConfigMap` differently.
    RenamedChild,
    /// Creates a new password.
    NewPassword,
    /// Needs a field that the first release did not have.
    RequiredField,
    /// Prints another line.
    LogLine,
}

const NAMES: [(&str, Release); 10] = [
    ("renamed-selector", Release::RenamedSelector),
    ("claim-template", Release::ClaimTemplate),
    ("new-default", Release::NewDefault),
    ("renamed-finalizer", Release::RenamedFinalizer),
    ("field-manager", Release::FieldManager),
    ("merge-patch", Release::MergePatch),
    ("renamed-child", Release::RenamedChild),
    ("new-password", Release::NewPassword),
    ("required-field", Release::RequiredField),
    ("log-line", Release::LogLine),
];

/// Returns the release, and true if it elects a leader.
fn arguments() -> (Release, bool) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let elects = arguments.first() == Some(&"--elect");
    if elects {
        arguments.remove(0);
    }
    let release = match arguments[..] {
        [] => Release::First,
        ["--release", name] => {
            let known = NAMES.iter().find(|(known, _)| *known == name);
            known.expect("a known release").1
        }
        _ => panic!("unknown arguments"),
    };
    (release, elects)
}

/// Waits until this process has created the Lease. The returned task deletes it when the process is
/// terminated, and ends. A killed process holds its Lease until [`EXPIRES`].
async fn lead(client: Client) -> JoinHandle<()> {
    let namespaces = Api::<Namespace>::all(client.clone());
    let namespaces = namespaces.list(&ListParams::default()).await.unwrap();
    let leases = Api::<Lease>::namespaced(client, &namespaces.items[0].name_any());
    let lease = || -> Lease {
        let now = MicroTime(Timestamp::now());
        serde_json::from_value(json!({"metadata": {"name": "mill"},
            "spec": {"holderIdentity": std::process::id().to_string(), "renewTime": now}}))
        .unwrap()
    };
    while leases
        .create(&PostParams::default(), &lease())
        .await
        .is_err()
    {
        let held = leases.get_opt("mill").await.unwrap();
        let renewed = held.and_then(|it| it.spec?.renew_time);
        if renewed.is_some_and(|it| Timestamp::now().duration_since(it.0) > EXPIRES) {
            let _ = leases.delete("mill", &DeleteParams::default()).await;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    tokio::spawn(async move {
        let mut terminated = signal(SignalKind::terminate()).unwrap();
        loop {
            tokio::select! {
                _ = terminated.recv() => {
                    let _ = leases.delete("mill", &DeleteParams::default()).await;
                    return;
                }
                () = tokio::time::sleep(Duration::from_millis(300)) => {
                    let renewed = Patch::Merge(lease());
                    let _ = leases.patch("mill", &PatchParams::default(), &renewed).await;
                }
            }
        }
    })
}

struct Miller {
    client: Client,
    mills: ApiResource,
    release: Release,
}

type Result<T, E = kube::Error> = std::result::Result<T, E>;

#[tokio::main]
async fn main() {
    let client = Client::try_default().await.unwrap();
    let mills = ApiResource::from_gvk(&GroupVersionKind::gvk(GROUP, "v1", "Mill"));
    let config = watcher::Config::default;
    let (release, elects) = arguments();
    let leads = if elects {
        lead(client.clone()).await
    } else {
        tokio::spawn(std::future::pending())
    };
    if release == Release::LogLine {
        println!("this release prints a line");
    }
    let miller = Miller {
        client: client.clone(),
        mills: mills.clone(),
        release,
    };
    let controller = Controller::new_with(
        Api::<DynamicObject>::all_with(client.clone(), &mills),
        config(),
        mills,
    )
    .owns(Api::<Deployment>::all(client.clone()), config())
    .owns(Api::<StatefulSet>::all(client.clone()), config())
    .owns(Api::<Service>::all(client.clone()), config())
    .owns(Api::<ConfigMap>::all(client.clone()), config())
    .owns(Api::<Secret>::all(client), config())
    .run(
        reconcile,
        |_, error, _| {
            println!("failed: {error}");
            Action::requeue(AGAIN)
        },
        Arc::new(miller),
    )
    .for_each(|_| std::future::ready(()));
    tokio::select! {
        () = controller => {}
        _ = leads => {}
    }
}

async fn reconcile(mill: Arc<DynamicObject>, miller: Arc<Miller>) -> Result<Action> {
    let finalizer = match miller.release {
        Release::RenamedFinalizer => "upgrades.example.com/cleanup",
        _ => "upgrades.example.com/mill",
    };
    let has_finalizer = mill.finalizers().iter().any(|name| name == finalizer);
    if mill.metadata.deletion_timestamp.is_some() {
        if has_finalizer {
            let left = mill.finalizers().iter().filter(|name| *name != finalizer);
            miller
                .set_finalizers(&mill, &left.collect::<Vec<_>>())
                .await?;
        }
        return Ok(Action::await_change());
    }
    if miller.release == Release::RequiredField && mill.data["spec"]["grain"].is_null() {
        println!("cannot decode {}: missing field `grain`", mill.name_any());
        return Ok(Action::requeue(AGAIN));
    }
    if !has_finalizer {
        let own = finalizer.to_owned();
        let all: Vec<_> = mill.finalizers().iter().chain([&own]).collect();
        miller.set_finalizers(&mill, &all).await?;
    }
    miller.apply_children(&mill).await?;
    Ok(Action::await_change())
}

impl Miller {
    async fn set_finalizers(&self, mill: &DynamicObject, finalizers: &[&String]) -> Result<()> {
        let namespace = mill.namespace().unwrap();
        let mills: Api<DynamicObject> =
            Api::namespaced_with(self.client.clone(), &namespace, &self.mills);
        let version = &mill.metadata.resource_version;
        let patch = json!({"metadata": {"finalizers": finalizers, "resourceVersion": version}});
        let patch = Patch::Merge(patch);
        mills
            .patch(&mill.name_any(), &PatchParams::default(), &patch)
            .await?;
        Ok(())
    }

    async fn apply_children(&self, mill: &DynamicObject) -> Result<()> {
        let name = mill.name_any();
        let config = match self.release {
            Release::RenamedChild => format!("{name}-settings"),
            _ => format!("{name}-config"),
        };
        let stones = mill.data["spec"]["stones"].to_string();
        let mut labels = json!({"made-by": "mill"});
        if !matches!(self.release, Release::FieldManager | Release::MergePatch) {
            labels["first"] = "yes".into();
        }
        self.apply::<ConfigMap>(
            mill,
            &config,
            json!({"data": {"stones": stones}, "metadata": {"labels": labels}}),
        )
        .await?;
        let secret = format!("{name}-password");
        let secrets = Api::<Secret>::namespaced(self.client.clone(), &mill.namespace().unwrap());
        let known = secrets.get_opt(&secret).await?;
        let is_marked = known
            .as_ref()
            .is_some_and(|it| it.labels().contains_key("renewed"));
        if known.is_none() || (self.release == Release::NewPassword && !is_marked) {
            let nanos = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos();
            let mut body = json!({"stringData": {"password": nanos.to_string()}});
            if self.release == Release::NewPassword {
                body["metadata"] = json!({"labels": {"renewed": "yes"}});
            }
            self.apply::<Secret>(mill, &secret, body).await?;
        }
        self.apply::<Service>(
            mill,
            &name,
            json!({"spec": {"selector": {"app": name}, "ports": [{"port": 80}]}}),
        )
        .await?;
        self.apply::<Deployment>(mill, &name, self.deployment(mill))
            .await?;
        self.apply::<StatefulSet>(mill, &format!("{name}-store"), self.store(&name))
            .await
    }

    fn deployment(&self, mill: &DynamicObject) -> Value {
        let name = mill.name_any();
        let label = match self.release {
            Release::RenamedSelector => "app.kubernetes.io/name",
            _ => "app",
        };
        let mut container = json!({"name": "mill", "image": "mill:1"});
        if self.release == Release::NewDefault {
            container["env"] = json!([{"name": "SPEED", "value": "fast"}]);
        }
        json!({"spec": {"replicas": mill.data["spec"]["stones"],
            "selector": {"matchLabels": {label: name}},
            "template": {"metadata": {"labels": {label: name}}, "spec": {"containers": [container]}}}})
    }

    fn store(&self, name: &str) -> Value {
        let size = match self.release {
            Release::ClaimTemplate => "2Gi",
            _ => "1Gi",
        };
        let name = format!("{name}-store");
        json!({"spec": {"replicas": 1, "serviceName": name, "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "store", "image": "store:1"}]}},
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}}]}})
    }

    async fn apply<K>(&self, mill: &DynamicObject, name: &str, mut body: Value) -> Result<()>
    where
        K: kube::Resource<Scope = kube::core::NamespaceResourceScope, DynamicType = ()>
            + Clone
            + std::fmt::Debug
            + serde::Serialize
            + serde::de::DeserializeOwned,
    {
        let manager = match self.release {
            Release::FieldManager | Release::MergePatch => "mill-controller",
            _ => "mill",
        };
        body["apiVersion"] = K::api_version(&()).into_owned().into();
        body["kind"] = K::kind(&()).into_owned().into();
        body["metadata"]["name"] = name.into();
        body["metadata"]["ownerReferences"] = json!([{
            "apiVersion": format!("{GROUP}/v1"), "kind": "Mill", "name": mill.name_any(),
            "uid": mill.uid(), "controller": true, "blockOwnerDeletion": true}]);
        let api = Api::<K>::namespaced(self.client.clone(), &mill.namespace().unwrap());
        if self.release == Release::MergePatch {
            let field_manager = Some(manager.to_owned());
            if api.get_opt(name).await?.is_some() {
                let params = PatchParams {
                    field_manager,
                    ..PatchParams::default()
                };
                api.patch(name, &params, &Patch::Merge(body)).await?;
            } else {
                let params = PostParams {
                    field_manager,
                    ..PostParams::default()
                };
                api.create(&params, &serde_json::from_value(body).unwrap())
                    .await?;
            }
            return Ok(());
        }
        let params = PatchParams::apply(manager).force();
        api.patch(name, &params, &Patch::Apply(body)).await?;
        Ok(())
    }
}
