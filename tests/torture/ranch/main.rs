//! An operator of a cluster-scoped kind with cluster-scoped children: a Namespace for each ranch,
//! and a `ClusterRole` for its hands. It is right. `rustop torture` has to leave alone all other
//! namespaces, roles and CRDs of the cluster.

#![allow(clippy::print_stdout, reason = "its log")]
#![allow(clippy::unwrap_used, reason = "it may end")]

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use kube::runtime::controller::Action;
use kube::runtime::{Controller, watcher};
use kube::{Client, Resource as _, ResourceExt as _};
use serde_json::{Value, json};

/// How long a failed reconcile waits before the next one.
const AGAIN: Duration = Duration::from_millis(1500);

struct Rancher {
    client: Client,
    ranches: ApiResource,
}

type Result<T, E = kube::Error> = std::result::Result<T, E>;

#[tokio::main]
async fn main() {
    let client = Client::try_default().await.unwrap();
    let ranches = ApiResource::from_gvk(&GroupVersionKind::gvk("bugs.example.com", "v1", "Ranch"));
    let operator = Rancher {
        client: client.clone(),
        ranches: ranches.clone(),
    };
    let config = watcher::Config::default;
    let all = Api::<DynamicObject>::all_with(client.clone(), &ranches);
    Controller::new_with(all, config(), ranches)
        .owns(Api::<Namespace>::all(client.clone()), config())
        .owns(Api::<ClusterRole>::all(client), config())
        .run(
            reconcile,
            |_, error, _| {
                println!("failed: {error}");
                Action::requeue(AGAIN)
            },
            Arc::new(operator),
        )
        .for_each(|_| std::future::ready(()))
        .await;
}

async fn reconcile(known: Arc<DynamicObject>, operator: Arc<Rancher>) -> Result<Action> {
    let ranches = Api::<DynamicObject>::all_with(operator.client.clone(), &operator.ranches);
    let name = known.name_any();
    let Some(ranch) = ranches.get_opt(&name).await? else {
        return Ok(Action::await_change());
    };
    if ranch.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let made = operator.make(&ranch, &name).await;
    let (status, reason) = match &made {
        Ok(()) => ("True", "Fenced"),
        Err(_) => ("False", "Refused"),
    };
    let wanted = json!({"observedGeneration": ranch.metadata.generation,
        "conditions": [{"type": "Ready", "status": status, "reason": reason}]});
    if *ranch.data.get("status").unwrap_or(&Value::Null) != wanted {
        let (params, change) = (PatchParams::default(), json!({ "status": wanted }));
        let change = Patch::Merge(&change);
        ranches.patch_status(&name, &params, &change).await?;
    }
    made.map(|()| Action::await_change())
}

impl Rancher {
    /// Applies the children of a ranch. The API server refuses to give a second controller to what
    /// belongs to others.
    async fn make(&self, ranch: &DynamicObject, name: &str) -> Result<()> {
        let owner = ranch.controller_owner_ref(&self.ranches);
        let brand = &ranch.data["spec"]["brand"];
        let metadata = |name: &str| json!({"name": name, "ownerReferences": [owner], "labels": {"brand": brand}});
        let (land, hands) = (format!("ranch-{name}"), format!("ranch-{name}-hands"));
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata(&land)});
        let reads = json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]});
        let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": metadata(&hands), "rules": [reads]});
        let params = PatchParams::apply("rancher").force();
        let namespaces = Api::<Namespace>::all(self.client.clone());
        let patch = Patch::Apply(&namespace);
        namespaces.patch(&land, &params, &patch).await?;
        let roles = Api::<ClusterRole>::all(self.client.clone());
        roles.patch(&hands, &params, &Patch::Apply(&role)).await?;
        Ok(())
    }
}
