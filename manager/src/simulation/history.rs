//! One history: an operator in an in-memory cluster, on one thread, in virtual time.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};

use crate::random;
use crate::recorder::{self, TraceEntry, What};
use crate::simulation::actors::Actor;
use crate::simulation::cluster_view::World;
use crate::simulation::foreign_objects::{self, Likeness};
use crate::simulation::scene::{Scene, TWIN};
use crate::simulation::schedule::{Injection, Schedule, Step};
use crate::simulation::snapshot::{Id, Snapshot};
use crate::testing::{Cluster, End, ObjectChange, Operator, Replica};
use crate::{Manager, Options};

/// A cluster without changes for this long is settled, unless a reconcile runs or is due, or an
/// actor or a fault has not finished.
const QUIET: Duration = Duration::from_secs(5);
/// The longest requeue delay, and the longest time of failing reconciles, that a history waits for.
const LONGEST_REQUEUE: Duration = Duration::from_secs(310);
/// The longest time that a step waits until all replicas run and each shard has a replica. After
/// that, the objects of the other shards are not reconciled, which is a finding.
const TAKEOVER: Duration = Duration::from_secs(300);
/// Virtual time after which a step ends although the cluster has not settled.
const LONGEST: Duration = Duration::from_secs(1800);
/// The number of entries of the trace after which a step ends although the cluster has not settled.
const MANY: usize = 4_000;

/// The result of a history.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// The requests, watch events and reconciles of the operator, and notes, in their order.
    pub trace: Vec<TraceEntry>,
    /// The namespace of the samples.
    pub sample_namespace: String,
    /// The state before the first step, and after each.
    pub states: Vec<Snapshot>,
    /// The index in `trace` at which each step ended, and whether the cluster had settled.
    pub steps: Vec<(usize, bool)>,
    /// Checks that failed.
    pub violations: Vec<Violation>,
    /// The messages with which the operator exited by itself, each with the index of the step.
    pub exits: Vec<(usize, String)>,
    /// The shards that no replica reconciled for so long that the history continued without them,
    /// with the index of the first such step. `None` if there are none.
    pub ownerless: Option<(usize, Vec<u32>)>,
    /// The faults of the schedule that did not occur.
    pub unused: Vec<Injection>,
    /// The message about a step that the API server rejected. The history ends with it.
    pub rejected: Option<String>,
    /// The panic of an actor, or of the function that registers the controllers. The history ends
    /// with it.
    pub panicked: Option<String>,
}

/// A check of the user that failed.
#[derive(Clone, Debug)]
pub(super) struct Violation {
    /// The index of the step.
    pub step: usize,
    /// The name of the check.
    pub check: String,
    /// True for a check of `Simulation::always`, false for one of `Simulation::eventually`.
    pub always: bool,
}

/// Data that the tasks of a history share.
#[derive(Default)]
struct HistoryState {
    /// The index of the current step.
    step: usize,
    violations: Vec<Violation>,
    exits: Vec<(usize, String)>,
    /// The running replicas of the operator, by index.
    running: BTreeMap<usize, Replica>,
    /// The number of pending actions of actors.
    pending: usize,
    /// The panic of the user's code outside of the operator, which ends the history.
    panicked: Option<String>,
}

impl HistoryState {
    /// Returns true if all replicas run and own all shards.
    fn is_complete(&self, scene: &Scene) -> bool {
        self.running.len() == scene.replicas && self.ownerless(scene).is_empty()
    }

    /// Returns the shards that no running replica reconciles. Without sharding, there is one shard,
    /// number 0, which the leader has.
    fn ownerless(&self, scene: &Scene) -> Vec<u32> {
        let owned = self.running.values().flat_map(Replica::owned_shards);
        let owned: BTreeSet<u32> = owned.collect();
        let shards = 0..scene.shards.unwrap_or(1);
        shards.filter(|shard| !owned.contains(shard)).collect()
    }
}

impl History {
    /// Returns true if the cluster settled after each step.
    pub fn is_settled(&self) -> bool {
        self.steps.iter().all(|(_, is_settled)| *is_settled)
    }

    /// Runs a history on the thread of the caller, in a tokio runtime of its own. If the schedule
    /// creates foreign objects, first runs another history without them, to find the children.
    pub fn run(scene: &Arc<Scene>, schedule: &Schedule) -> Self {
        let has_foreign = schedule
            .steps
            .iter()
            .any(|step| Likeness::of(*step).is_some());
        let children = if has_foreign {
            let alone = Self::run(scene, &foreign_objects::schedule_of_children(schedule.seed));
            foreign_objects::children(&alone.states, scene)
        } else {
            Vec::new()
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build();
        let runtime = match runtime {
            Ok(runtime) => runtime,
            Err(error) => {
                return Self {
                    rejected: Some(format!("cannot start a tokio runtime: {error}")),
                    ..Self::default()
                };
            }
        };
        let history = runtime.block_on(run_steps(scene.clone(), schedule, &children));
        drop(runtime);
        history
    }
}

/// Runs the steps of a schedule in a new cluster. `children` are the objects for which foreign ones
/// are created; empty if no step does that.
async fn run_steps(scene: Arc<Scene>, schedule: &Schedule, children: &[(Id, Value)]) -> History {
    // starts at 2030-01-01T00:00:00Z
    let mut cluster = Cluster::seeded(schedule.seed)
        .at(Timestamp::UNIX_EPOCH + Duration::from_secs(1_893_456_000))
        .with(scene.crds.iter().cloned());
    if let Some(permissions) = &scene.permissions {
        cluster = cluster.authorize(permissions.clone());
    }
    for configuration in &scene.webhooks {
        cluster.install(configuration);
    }
    recorder::begin();
    for injection in &schedule.faults {
        cluster.fail_next(injection.at.clone(), injection.fault);
    }
    let state = Arc::new(Mutex::new(HistoryState::default()));
    watch_always(&scene, &cluster, &state);
    let restart = Arc::new(Notify::new());
    tokio::spawn(run_actors(
        scene.actors.clone(),
        cluster.clone(),
        state.clone(),
    ));
    for replica in 0..scene.replicas {
        tokio::spawn(supervise(
            replica,
            scene.clone(),
            cluster.clone(),
            restart.clone(),
            state.clone(),
        ));
    }

    let mut history = History {
        sample_namespace: scene.sample_namespace().to_owned(),
        ..History::default()
    };
    settle(&cluster, &scene, &state).await;
    history.states.push(Snapshot::of(cluster.objects()));
    for (number, step) in schedule.steps.iter().enumerate() {
        state.lock().step = number;
        recorder::note(|| What::Note(format!("STEP {}: {step}", number + 1)));
        let taken = take(&scene, &cluster, *step, &restart, children).await;
        if let Err(rejected) = taken {
            history.rejected = Some(format!("cannot {step}: {rejected}"));
            break;
        }
        cluster.back_up();
        let Some(is_settled) = settle(&cluster, &scene, &state).await else {
            break;
        };
        if state.lock().panicked.is_some() {
            break;
        }
        recorder::note(|| {
            let settled = if is_settled {
                "has settled"
            } else {
                "does not settle"
            };
            What::Note(format!("the cluster {settled}"))
        });
        let entries = recorder::with(|record| record.entries.len()).unwrap_or_default();
        history.steps.push((entries, is_settled));
        history.states.push(Snapshot::of(cluster.objects()));
        let ownerless = state.lock().ownerless(&scene);
        if is_settled && !ownerless.is_empty() && history.ownerless.is_none() {
            history.ownerless = Some((number, ownerless));
        }
        if is_settled && *step != Step::Delete {
            check_eventually(&scene, &cluster, number, &state);
        }
        if !is_settled {
            break;
        }
    }
    cluster.on_change(None);
    let pending = cluster.pending_faults().into_iter();
    history.unused = pending.map(|(at, fault)| Injection { at, fault }).collect();
    history.trace = recorder::end();
    let state = std::mem::take(&mut *state.lock());
    history.violations = state.violations;
    history.exits = state.exits;
    history.panicked = state.panicked;
    history
}

/// Takes a step of the user. The error is the message of the API server that rejects it.
async fn take(
    scene: &Scene,
    cluster: &Cluster,
    step: Step,
    restart: &Notify,
    children: &[(Id, Value)],
) -> Result<(), String> {
    let create = async |object: &Value| cluster.change(object, ObjectChange::Create).await;
    match step {
        Step::Create => {
            for sample in &scene.samples {
                create(sample).await?;
            }
        }
        Step::CreateTwins => {
            let namespace = serde_json::json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": TWIN}});
            create(&namespace).await?;
            for sample in &scene.samples {
                create(sample).await?;
                create(&twin(sample)).await?;
            }
        }
        Step::CreateNamesakes => {
            create_foreign(cluster, scene.sample_namespace(), children, Likeness::Names).await?;
        }
        Step::CreateLookalikes => {
            create_foreign(
                cluster,
                scene.sample_namespace(),
                children,
                Likeness::Labels,
            )
            .await?;
        }
        Step::Edit(number) => match scene.edits.get(number) {
            Some((object, patch)) => {
                let sample = scene.edited(object);
                cluster.change(sample, ObjectChange::Patch(patch)).await?;
            }
            None => return Err(format!("the simulation has no edit {number}")),
        },
        Step::Restart => restart.notify_waiters(),
        Step::Delete => {
            let twins: Vec<_> = scene.samples.iter().map(twin).collect();
            for sample in scene.samples.iter().chain(&twins) {
                // A fault may have deleted it.
                let _ = cluster.change(sample, ObjectChange::Delete).await;
            }
        }
    }
    Ok(())
}

/// Creates the owner of the foreign objects, and a foreign object for each child.
async fn create_foreign(
    cluster: &Cluster,
    namespace: &str,
    children: &[(Id, Value)],
    likeness: Likeness,
) -> Result<(), String> {
    let owner = foreign_objects::owner(namespace);
    cluster.change(&owner, ObjectChange::Create).await?;
    let maps = cluster.objects_of("configmaps").into_iter();
    let is_owner = |map: &Value| {
        let mut fields = ["name", "namespace"].into_iter();
        fields.all(|field| map["metadata"][field] == owner["metadata"][field])
    };
    let owner = maps.into_iter().find(is_owner).unwrap_or_default();
    for child in children {
        if let Some(object) = foreign_objects::like(child, likeness, &owner) {
            // Several children of one kind have one lookalike.
            let _ = cluster.change(&object, ObjectChange::Create).await;
        }
    }
    Ok(())
}

/// Returns a sample in the second namespace.
fn twin(sample: &Value) -> Value {
    let mut twin = sample.clone();
    twin["metadata"]["namespace"] = TWIN.into();
    twin
}

/// Waits until the cluster has settled. Returns `Some(true)` then, and `Some(false)` if it does not
/// settle, or if the user's code outside of the operator panics.
///
/// Returns `None` if the operator writes without end while a fault delays an event: until it sees
/// the deletion of an owner, it creates the children again, and the garbage collector deletes them
/// at once. That ends with the event, so it is not a hot loop, but would take too long to simulate.
async fn settle(cluster: &Cluster, scene: &Scene, state: &Mutex<HistoryState>) -> Option<bool> {
    let start = Instant::now();
    let mut busy = start;
    let entries = || recorder::with(|record| record.entries.len()).unwrap_or_default();
    let begun = entries();
    loop {
        sleep(Duration::from_millis(500)).await;
        let is_busy = {
            let state = state.lock();
            let is_taken_over = state.is_complete(scene) || start.elapsed() > TAKEOVER;
            !is_taken_over || state.pending > 0 || cluster.delayed() > 0
        };
        // After a delay ends, the operator gets time to react: its client may have given up a watch
        // with a delayed event, and starts another one.
        if is_busy {
            busy = Instant::now();
        }
        let rest = recorder::with(|record| {
            let last = record.last.values();
            let delays = last.clone().filter_map(|last| last.again);
            let longest = delays.filter(|again| *again <= LONGEST_REQUEUE).max();
            let is_running = last.clone().any(|last| last.running);
            let quiet = QUIET + longest.unwrap_or_default() * 5 / 4;
            let still = record.active.max(busy).elapsed();
            // A failed reconcile may still succeed, but is not awaited for ever.
            let is_failing = last.clone().any(|last| last.failed) && still < LONGEST_REQUEUE;
            !is_running && !is_failing && still >= quiet
        });
        if state.lock().panicked.is_some() {
            return Some(false);
        }
        if !is_busy && rest == Some(true) {
            return Some(true);
        }
        if entries() > begun + MANY {
            return (cluster.delayed() == 0).then_some(false);
        }
        if start.elapsed() > LONGEST {
            return Some(false);
        }
    }
}

/// Runs a replica of the operator, and starts it again after a crash, an exit, or a restart by the
/// user.
async fn supervise(
    replica: usize,
    scene: Arc<Scene>,
    cluster: Cluster,
    restart: Arc<Notify>,
    state: Arc<Mutex<HistoryState>>,
) {
    loop {
        let what = || "the function that registers the controllers panicked".to_owned();
        let Some(mut operator) = guarded(&state, what, || start(&scene, &cluster)) else {
            return;
        };
        let started = operator.replica().clone();
        state.lock().running.insert(replica, started);
        let number = operator.number();
        recorder::note(|| What::Note(format!("operator {number} starts")));
        let ended = tokio::select! {
            biased;
            ended = operator.ended() => ended,
            () = restart.notified() => {
                state.lock().running.remove(&replica);
                let _ = operator.stop().await;
                recorder::note(|| What::Note(format!("operator {number} was stopped")));
                recorder::with(|record| record.forget_reconciles(number));
                continue;
            }
        };
        drop(operator);
        {
            let mut state = state.lock();
            state.running.remove(&replica);
            let step = state.step;
            if let End::Exited(why) = &ended {
                state.exits.push((step, why.clone()));
            }
        }
        recorder::note(|| {
            What::Note(match ended {
                End::Exited(why) => format!("operator {number} exited: {why}"),
                End::LeaseLost => format!("operator {number} lost its lease and exited"),
                End::Killed => format!("operator {number} was killed"),
            })
        });
        recorder::with(|record| record.forget_reconciles(number));
        sleep(Duration::from_millis(100 + random::number() % 3000)).await;
    }
}

/// Starts a process of the operator, with leader election or shards as the scene specifies.
fn start(scene: &Scene, cluster: &Cluster) -> Operator {
    let options = Options {
        leader_elect: scene.replicas > 1,
        shards: scene.shards,
        ..Options::default()
    };
    let manager = (scene.register)(Manager::new("simulation", "0", options));
    if scene.elects() {
        cluster.run_replica(manager)
    } else {
        cluster.run_alone(manager)
    }
}

/// Calls a function of the user, other than the operator. Returns `None` if it panics, which ends
/// the history; `what` then names the function in the message.
fn guarded<T>(
    state: &Mutex<HistoryState>,
    what: impl FnOnce() -> String,
    call: impl FnOnce() -> T,
) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(value) => Some(value),
        Err(panic) => {
            let message = crate::error::message_of(&*panic);
            state.lock().panicked = Some(format!("{}: {message}", what()));
            None
        }
    }
}

/// Runs the actors: calls them after each change of an object, and writes the statuses that they
/// return after their delay. Ends if one of them panics.
async fn run_actors(
    actors: Vec<Arc<dyn Actor>>,
    cluster: Cluster,
    state: Arc<Mutex<HistoryState>>,
) {
    let mut seen = 0;
    // The statuses to be written, by due time and then by order: the index of the actor, and the
    // resource and the state of the object.
    let mut pending: BTreeMap<(Instant, u64), (usize, String, Value)> = BTreeMap::new();
    let mut number = 0;
    let find = |resource: &str, object: &Value| {
        let live = cluster.objects_of(resource).into_iter();
        live.into_iter()
            .find(|live| live["metadata"]["uid"] == object["metadata"]["uid"])
    };
    let status = |index: usize, object: &Value, now: &str| {
        let what = || {
            let name = |field| object.pointer(field).and_then(Value::as_str).unwrap_or("");
            let (kind, name) = (name("/kind"), name("/metadata/name"));
            format!("actor {} panicked at the {kind} `{name}`", index + 1)
        };
        guarded(&state, what, || actors[index].status(object, now))
    };
    loop {
        let (newest, changes) = cluster.changes_after(seen);
        seen = newest;
        let now = kubernetes_time(cluster.now());
        for (resource, object) in changes {
            for (index, actor) in actors.iter().enumerate() {
                let uid = &object["metadata"]["uid"];
                let is_pending = pending
                    .values()
                    .any(|(actor, _, known)| *actor == index && known["metadata"]["uid"] == *uid);
                if is_pending {
                    continue;
                }
                match status(index, &object, &now) {
                    Some(Some(_)) => {}
                    Some(None) => continue,
                    None => return,
                }
                let (least, most) = actor.delay();
                let range =
                    u64::try_from(most.saturating_sub(least).as_millis()).unwrap_or(u64::MAX);
                let delay = least + Duration::from_millis(random::number() % (range + 1));
                number += 1;
                let key = (Instant::now() + delay, number);
                pending.insert(key, (index, resource.clone(), object.clone()));
            }
        }
        state.lock().pending = pending.len();
        let due = pending.keys().next().map(|(due, _)| *due);
        tokio::select! {
            biased;
            () = cluster.changed_after(seen) => {}
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                let Some((_, (index, resource, object))) = pending.pop_first() else { continue };
                let now = kubernetes_time(cluster.now());
                let Some(live) = find(&resource, &object) else { continue };
                let Some(status) = status(index, &live, &now) else { return };
                if let Some(status) = status {
                    let patch = serde_json::json!({"status": status});
                    // The object may be of a kind without status.
                    let _ = cluster.change(&live, ObjectChange::Status(&patch)).await;
                }
            }
        }
    }
}

fn kubernetes_time(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Makes the cluster run the checks of `Simulation::always` after each change. A check that has
/// failed is not recorded a second time.
fn watch_always(scene: &Arc<Scene>, cluster: &Cluster, state: &Arc<Mutex<HistoryState>>) {
    if scene.always.is_empty() {
        return;
    }
    let (scene, state) = (scene.clone(), state.clone());
    let world = World {
        cluster: cluster.clone(),
    };
    // Removed at the end of the history, because the cluster and the function own each other.
    cluster.on_change(Some(Arc::new(move || {
        for (name, check) in &scene.always {
            let is_known = {
                let state = state.lock();
                state.violations.iter().any(|known| known.check == *name)
            };
            if !is_known && !holds(|| check(&world)) {
                recorder::note(|| What::Note(format!("VIOLATED: {name}")));
                let mut state = state.lock();
                let step = state.step;
                state.violations.push(Violation {
                    step,
                    check: name.clone(),
                    always: true,
                });
            }
        }
    })));
}

/// Runs the checks of `Simulation::eventually`, after the cluster has settled.
fn check_eventually(scene: &Scene, cluster: &Cluster, step: usize, state: &Mutex<HistoryState>) {
    let world = World {
        cluster: cluster.clone(),
    };
    for (name, check) in &scene.eventually {
        if !holds(|| check(&world)) {
            recorder::note(|| What::Note(format!("NOT TRUE after the step: {name}")));
            state.lock().violations.push(Violation {
                step,
                check: name.clone(),
                always: false,
            });
        }
    }
}

/// Calls a check of the user, and returns its result. One that panics does not hold.
fn holds(check: impl FnOnce() -> bool) -> bool {
    catch_unwind(AssertUnwindSafe(check)).unwrap_or(false)
}
