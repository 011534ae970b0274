//! Keeps as many Pods as a PodSet asks for, one step at a time: create one, or delete one, and look again.

use std::{cmp::Ordering, collections::HashSet, sync::Arc, time::Duration};

use api::batch::v1::pod_set::PodSet;
use k8s_openapi::{
    api::core::v1::{Container, Pod, PodSpec},
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use kube::ResourceExt as _;
use rustop_manager::{Action, Conditions as _, Context, Controller, Reason, Result, condition};

// +kubebuilder:rbac:groups=batch.tutorial.kubebuilder.io,resources=podsets,verbs=get;list;watch
// +kubebuilder:rbac:groups=batch.tutorial.kubebuilder.io,resources=podsets/status,verbs=patch
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

const IMAGE: &str = "registry.my.domain/worker:v1";
/// After a step nothing needs to be waited for: what was written is in the cache already.
const AGAIN: Duration = Duration::ZERO;
/// What others wrote is in it a little later.
const LATER: Duration = Duration::from_secs(1);

/// A PodSet is looked at when it changes, and when one of its Pods does.
#[must_use]
pub fn controller() -> Controller<PodSet> {
    Controller::new(reconcile)
        // rustop:allow(watch-all): a name is free when no Pod has it, whoever made that
        .owns::<Pod>()
        .conditions(|status| &mut status.conditions)
        .concurrency(1)
}

/// Counts the Pods that are there and takes one step. What was counted last time, in the status, is not
/// looked at: it may be old.
async fn reconcile(set: Arc<PodSet>, ctx: Context<PodSet>) -> Result<Action> {
    let all = neighbours(&set, &ctx)?;
    let mut pods = members(&set, &all);
    if let Some(dead) = pods.iter().find(|pod| has_ended(pod)) {
        ctx.delete::<Pod>(&dead.name_any()).await?;
        return Ok(Action::requeue(AGAIN));
    }
    report(&set, &ctx, &pods);

    // The trap of this operator is a count that is too old: a Pod that was created and not counted is
    // created again. `ctx.create` and `ctx.delete` put what they did into the cache before they return.
    match pods.len().cmp(&wanted(&set)) {
        Ordering::Less => match ctx.create(pod(free_name(&set, &all))).await {
            // An earlier life of this operator was faster, and its Pod is not in the cache yet.
            Err(error) if error.is(Reason::AlreadyExists) => Ok(Action::requeue(LATER)),
            created => created.map(|_| Action::requeue(AGAIN)),
        },
        Ordering::Greater => {
            // Those that do no work yet go first.
            pods.sort_by_key(|pod| is_ready(pod));
            ctx.delete::<Pod>(&pods[0].name_any()).await?;
            Ok(Action::requeue(AGAIN))
        }
        Ordering::Equal => Ok(Action::await_change()),
    }
}

/// The Pods in the namespace of a set.
fn neighbours(set: &PodSet, ctx: &Context<PodSet>) -> Result<Vec<Arc<Pod>>> {
    let mut pods = ctx.store::<Pod>()?.state();
    pods.retain(|pod| pod.metadata.namespace == set.metadata.namespace);
    Ok(pods)
}

/// Those of the set, by name. One that is being deleted does not count: it is as good as gone.
fn members(set: &PodSet, all: &[Arc<Pod>]) -> Vec<Arc<Pod>> {
    let is_member = |pod: &&Arc<Pod>| {
        let mut owners = pod.owner_references().iter();
        let ours = owners.any(|owner| Some(&owner.uid) == set.metadata.uid.as_ref());
        ours && pod.metadata.deletion_timestamp.is_none()
    };
    let mut pods: Vec<_> = all.iter().filter(is_member).cloned().collect();
    pods.sort_by_key(|pod| pod.name_any());
    pods
}

/// The first name that no Pod has. It follows from what there is, so that two who see the same want the
/// same name: if a crash leaves a request on its way, what comes of it is the Pod that the next life of
/// this operator is about to create, and not one more.
fn free_name(set: &PodSet, all: &[Arc<Pod>]) -> Option<String> {
    let taken: HashSet<String> = all.iter().map(|pod| pod.name_any()).collect();
    let mut names = (0..).map(|number: u32| format!("{}-{number}", set.name_any()));
    names.find(|name| !taken.contains(name))
}

/// The schema lets no number below 0 through.
fn wanted(set: &PodSet) -> usize {
    usize::try_from(set.spec.replicas).unwrap_or(0)
}

/// The status holds what was seen, and nothing that the next reconcile would need.
fn report(set: &PodSet, ctx: &Context<PodSet>, pods: &[Arc<Pod>]) {
    let wanted = wanted(set);
    let ready = pods.iter().filter(|pod| is_ready(pod)).count();
    let text = format!("{ready} of {wanted} Pods are ready");
    let condition = if ready == wanted && pods.len() == wanted {
        condition::true_because("Ready", "Complete", text)
    } else {
        condition::false_because("Ready", "Scaling", text)
    };
    ctx.set_status(|status| {
        status.ready_replicas = i32::try_from(ready).unwrap_or(i32::MAX);
        status.pod_names = pods.iter().map(|pod| pod.name_any()).collect();
        status.conditions.set(condition);
    });
}

fn is_ready(pod: &Pod) -> bool {
    let status = pod.status.iter();
    let mut conditions = status
        .filter_map(|status| status.conditions.as_ref())
        .flatten();
    conditions.any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

/// A Pod that ran to its end, well or not, does not start again.
fn has_ended(pod: &Pod) -> bool {
    let phase = pod
        .status
        .as_ref()
        .and_then(|status| status.phase.as_deref());
    matches!(phase, Some("Failed" | "Succeeded"))
}

fn pod(name: Option<String>) -> Pod {
    Pod {
        metadata: ObjectMeta {
            name,
            ..ObjectMeta::default()
        },
        spec: Some(PodSpec {
            containers: vec![Container {
                name: "worker".to_owned(),
                image: Some(IMAGE.to_owned()),
                ..Container::default()
            }],
            ..PodSpec::default()
        }),
        ..Pod::default()
    }
}
