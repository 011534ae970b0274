//! Gets a machine from a cloud for each Instance, and gives it back in the end.
//!
//! The cloud bills every machine, fails when it likes and forgets to answer; the operator may die at any
//! point. So before it asks for anything it writes down, in an InstanceWorkspace, the token with which it
//! will ask. Whoever comes after it finds the token there, and with it the machine.

use std::{sync::Arc, time::Duration};

use api::cloud::v1alpha1::{
    instance::Instance,
    instance_workspace::{InstanceWorkspace, InstanceWorkspaceSpec},
};
use kube::{
    ResourceExt as _,
    api::{Patch, PatchParams},
};
use rustop_manager::{Action, Conditions as _, Context, Controller, Result, condition};
use serde_json::json;

use crate::cloud::{Cloud, Machine};

// +kubebuilder:rbac:groups=cloud.example.com,resources=instances,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=cloud.example.com,resources=instances/status,verbs=patch
// +kubebuilder:rbac:groups=cloud.example.com,resources=instanceworkspaces,verbs=get;create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

const FINALIZER: &str = "cloud.example.com/machine";
/// Nothing tells this operator when somebody changes a machine in the cloud, so it looks by itself.
const DRIFT: Duration = Duration::from_secs(3600);

#[must_use]
pub fn controller() -> Controller<Instance> {
    let (cloud, same_cloud) = (Cloud::from_env(), Cloud::from_env());
    Controller::new(move |instance, ctx| reconcile(cloud.clone(), instance, ctx))
        .cleanup(FINALIZER, move |instance, ctx| {
            cleanup(same_cloud.clone(), instance, ctx)
        })
        .conditions(|status| &mut status.conditions)
        .concurrency(4)
}

async fn reconcile(
    cloud: Cloud,
    instance: Arc<Instance>,
    ctx: Context<Instance>,
) -> Result<Action> {
    let workspace = match workspace(&instance, &ctx).await? {
        Some(workspace) => workspace,
        None => remember(&instance, &ctx).await?,
    };
    let machine = machine(&cloud, &instance, &workspace.spec.token).await?;

    // Set every time, not only on a change: so an error of last week does not stay. (An error of today
    // got here by the `?` above.)
    let ready = condition::true_because("Ready", "Running", "the machine is there");
    ctx.set_status(|status| {
        status.machine = Some(machine.id);
        status.conditions.set(ready);
    });
    Ok(Action::requeue(DRIFT))
}

/// What was written down, read from the API server: a cache might not have it yet, and then a second
/// machine would be paid for.
async fn workspace(
    instance: &Instance,
    ctx: &Context<Instance>,
) -> Result<Option<InstanceWorkspace>> {
    let found = ctx
        .api::<InstanceWorkspace>()
        .get_opt(&instance.name_any())
        .await?;
    Ok(found.filter(|workspace| {
        let mut owners = workspace.owner_references().iter();
        owners.any(|owner| Some(&owner.uid) == instance.metadata.uid.as_ref())
    }))
}

/// Writes down a new token, before anything is paid for. `create`, not `apply`: where there is a
/// workspace already, whoever's it is, this one must not take its place.
async fn remember(instance: &Instance, ctx: &Context<Instance>) -> Result<InstanceWorkspace> {
    let uid = instance.uid().unwrap_or_default();
    let token = format!("{uid}-{}", ctx.now().as_millisecond());
    let mut workspace =
        InstanceWorkspace::new(&instance.name_any(), InstanceWorkspaceSpec { token });
    // It goes with the Instance that owns it, but not before the machine does.
    workspace.metadata.finalizers = Some(vec![FINALIZER.to_owned()]);
    let created = ctx.create(workspace).await?;
    Ok(created.as_ref().clone())
}

/// The machine, of the size that is asked for, whatever was done to it in the meantime.
async fn machine(cloud: &Cloud, instance: &Instance, token: &str) -> Result<Machine> {
    let size = &instance.spec.size;
    let machine = cloud.ensure(token, &instance.name_any(), size).await?;
    if machine.size != *size {
        cloud.resize(&machine.id, size).await?;
    }
    Ok(machine)
}

/// Gives the machine back. Without a workspace nothing was ever asked for.
async fn cleanup(cloud: Cloud, instance: Arc<Instance>, ctx: Context<Instance>) -> Result<()> {
    let Some(workspace) = workspace(&instance, &ctx).await? else {
        return Ok(());
    };
    cloud.release(&workspace.spec.token).await?;
    // Only now may the workspace go.
    let left = workspace
        .finalizers()
        .iter()
        .filter(|name| *name != FINALIZER);
    let left: Vec<_> = left.collect();
    let version = workspace.resource_version();
    let change = json!({"metadata": {"resourceVersion": version, "finalizers": left}});
    ctx.api::<InstanceWorkspace>()
        .patch(
            &workspace.name_any(),
            &PatchParams::default(),
            &Patch::Merge(change),
        )
        .await?;
    Ok(())
}
