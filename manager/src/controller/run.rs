//! Runs a controller: its watches, its caches, and the queue that they feed.

use std::{pin::pin, sync::Arc};

use futures::{
    FutureExt, Stream, StreamExt,
    future::{self, BoxFuture},
};
use kube::runtime::reflector::ObjectRef;
use serde::Serialize;
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{Instant, sleep_until},
};

use crate::cache::{
    self, informer::Informer, selection::Watch, watch_health::WatchHealth,
    watch_target::WatchTarget,
};
use crate::context::{Shared, cause::Cause};
use crate::controller::builder::Controller;
use crate::controller::conditions;
use crate::controller::failures::Failures;
use crate::controller::feed::Feed;
use crate::controller::first_lists::InitialLists;
use crate::controller::loops::LoopDetector;
use crate::controller::owned_shards::OwnedShards;
use crate::controller::preflight::{self, Needs};
use crate::controller::queue::Queue;
use crate::controller::reconcile::{Work, work};
use crate::controller::runnable::{Environment, Runnable};
use crate::controller::source::{Opened, Opening, WatchSettings};
use crate::controller::state::{ControllerState, Predicate};
use crate::http::health::STARTING;
use crate::leader::replica_state::ReplicaState;
use crate::object::AnyObject;
use crate::rate_limits::RateLimits;
use crate::rbac::Permission;
use crate::shared_state::Required;
use crate::status;
use crate::tasks::task_of_current;

impl<K: AnyObject + Serialize> Runnable for Controller<K> {
    fn name(&self) -> &str {
        &self.name
    }

    fn required(&self) -> &[Required] {
        &self.required
    }

    fn invalid_selector(&self) -> Option<&str> {
        let mut sources = self.sources.iter();
        sources.find_map(|source| source.invalid_selector())
    }

    fn run(self: Box<Self>, environment: Environment) -> BoxFuture<'static, ()> {
        environment.health.add_controller(&self.name, STARTING);
        let informers = &environment.informers;
        informers.announce::<K>(&self.kind, &Watch::default());
        for source in &self.sources {
            source.announce(informers);
        }
        run(*self, environment).boxed()
    }
}

/// Waits until the preflight checks pass, fills the caches, and reconciles until it is stopped.
async fn run<K: AnyObject + Serialize>(mut controller: Controller<K>, environment: Environment) {
    let watched = WatchHealth::new(
        &controller.name,
        environment.health.clone(),
        environment.interruptions.clone(),
    );
    let needs = needs(&controller, &environment.operator, &environment.namespaces);
    let needs = environment.limit_to_shards(needs);
    let lists = InitialLists::new(&controller.name, &environment.health, &needs.kinds);
    if !may_start(&environment, &needs, &watched, &lists).await {
        return;
    }

    let (health, metrics) = (environment.health.clone(), environment.metrics.clone());
    let replica_state = environment.informers.replica_state.clone();
    let triggers = std::mem::take(&mut controller.triggers);
    let (state, own, others) = open(&mut controller, environment, &needs, &watched);
    let mut feed = Feed::new(&state, &replica_state, own, others);
    for trigger in triggers {
        feed.add(&replica_state, trigger);
    }

    // `announced` completes when reconciling may start: after all caches are filled, because before
    // that, children would seem to be missing, and after this replica leads.
    let synced = lists.wait_for(feed.synced);
    let count = conditions::counter(state.shared.main.clone());
    let announced = async {
        let controller = &controller.name;
        synced.await;
        health.ready(controller);
        if !replica_state.is_leading() {
            tracing::info!(controller, "caches are filled, waiting for the lease");
        }
        if let Some(moment) = replica_state.wait_until_leading().await {
            let fresh = feed.freshness.iter().map(|known| known.reaches(moment));
            future::join_all(fresh).await;
        }
        metrics.conditions.add(controller, count);
        tracing::info!(controller, "caches are filled, reconciling");
    };
    let running = reconcile_all(
        feed.triggers,
        announced,
        Arc::new(controller.work),
        controller.pace,
        state,
        &replica_state,
    );
    // The watches never end, so this returns when `running` does.
    future::select(future::join_all(feed.drive), pin!(running)).await;
}

/// Opens the caches of the controller's own kind and of the other kinds that it watches, and adds
/// its indexes to them. Returns the state of the controller, the access to its own kind, and that
/// to the other kinds.
fn open<K: AnyObject + Serialize>(
    controller: &mut Controller<K>,
    environment: Environment,
    needs: &Needs,
    watched: &WatchHealth,
) -> (Arc<ControllerState<K>>, Informer<K>, Vec<Opened<K>>) {
    let field_manager = cache::field_manager(&environment.operator, &controller.name);
    let metrics = environment
        .metrics
        .controller(&controller.name, controller.concurrency);
    let metrics = Arc::new(metrics);
    let opening = Opening {
        environment: &environment,
        field_manager: &field_manager,
        metrics: &metrics,
        health: watched,
    };
    let settings = WatchSettings {
        watch: needs.kinds[0].watch.clone(),
        ..WatchSettings::default()
    };
    let own = opening.open::<K>(&controller.kind, settings);
    let sources = std::mem::take(&mut controller.sources);
    let prunes = sources.iter().map(|source| source.prune.clone()).collect();
    let others: Vec<_> = sources
        .into_iter()
        .map(|source| source.open(&opening, &own.cache))
        .collect();
    let references = others.iter().filter_map(|opened| opened.read.clone());
    for add in controller.indexes.drain(..) {
        add(&environment.informers, &field_manager);
    }

    let owned_shards = OwnedShards::of(&environment, &own.cache);
    let shared = Shared {
        operator: environment.operator,
        field_manager,
        client: environment.client,
        main: own.cache.clone(),
        informers: environment.informers,
        watched: needs.kinds.clone(),
        references: references.collect(),
        prunes,
        events: environment.events,
        state: environment.state,
        required: std::mem::take(&mut controller.required),
        condition_events: std::mem::take(&mut controller.condition_events),
        status_limits: status::limits(),
    };
    let state = ControllerState {
        shared: Arc::new(shared),
        predicate: controller.predicate.take().unwrap_or_else(everything),
        metrics,
        failures: Failures::default(),
        loops: LoopDetector::default(),
        permits: Arc::new(Semaphore::new(controller.concurrency.into())),
        workers: environment.workers,
        owned_shards,
        stop: environment.stop,
    };
    (Arc::new(state), own, others)
}

/// Queues the objects that `triggers` yields, and reconciles them once `ready` completes. Returns
/// when the controller is stopped and no reconcile is running. `pace` limits how often reconciles
/// start; `None` for no limit.
async fn reconcile_all<K: AnyObject>(
    mut triggers: impl Stream<Item = (ObjectRef<K>, Cause)> + Unpin,
    ready: impl Future<Output = ()>,
    functions: Arc<Work<K>>,
    pace: Option<RateLimits<()>>,
    state: Arc<ControllerState<K>>,
    replica_state: &ReplicaState,
) {
    let mut queue = Queue::new(state.metrics.queue());
    let mut running = JoinSet::new();
    // Twice the concurrency: reconciles that have returned may still write their status while
    // others run.
    let at_once = 2 * state.permits.available_permits();
    let mut ready = pin!(ready.fuse());
    let mut is_ready = false;
    // The rate limit allows no reconcile before this time.
    let mut next = Instant::now();
    while !state.stop.is_cancelled() {
        let now = Instant::now();
        let may_start = queue.is_ready(now) && is_ready && next <= now && running.len() < at_once;
        let due = queue
            .next_due()
            .into_iter()
            .chain((next > now).then_some(next))
            .min();
        tokio::select! {
            // Always in the same order, so that a test can repeat a run. None of the branches holds
            // up a later one for long: the number of running reconciles is limited.
            biased;
            () = state.stop.cancelled() => {}
            () = &mut ready, if !is_ready => is_ready = true,
            Some(done) = running.join_next() => match done {
                Ok((key, again)) => queue.done(&key, again, Instant::now()),
                Err(error) => tracing::error!(%error, "reconcile task panicked or was aborted"),
            },
            Ok(permit) = state.permits.clone().acquire_owned(), if may_start => {
                if let Some(Err(wait)) = pace.as_ref().map(|pace| pace.take((), now)) {
                    next = now + wait;
                    continue;
                }
                let Some(item) = queue.take(Instant::now()) else { continue };
                let workers = state.workers.clone();
                let (functions, state) = (functions.clone(), state.clone());
                let work = async move {
                    let key = item.key.clone();
                    (key, work(functions, item, permit, state).await)
                };
                running.spawn_on(task_of_current(work), &workers);
            }
            Some((key, cause)) = triggers.next() => {
                if !state.works_on(&key) {
                    continue;
                }
                // Changes before this replica leads are dropped: when it starts to lead, every
                // object is reconciled.
                if replica_state.is_leading() {
                    queue.add(key, cause, Instant::now());
                }
            }
            () = sleep_until(due.unwrap_or(now)), if due.is_some() => {}
        }
    }
    while running.join_next().await.is_some() {}
}

/// Waits until the preflight checks pass. Returns false if the controller is stopped before.
async fn may_start(
    environment: &Environment,
    needs: &Needs,
    watched: &WatchHealth,
    lists: &InitialLists,
) -> bool {
    lists.report_missing();
    preflight::passed(&environment.client, needs, watched, &environment.stop).await;
    lists.report_missing();
    !environment.stop.is_cancelled()
}

/// Returns the kinds and permissions that a controller needs in these namespaces, all if they are
/// empty. `operator` is the name of the operator, which selects the objects that it applied.
fn needs<K: AnyObject>(controller: &Controller<K>, operator: &str, namespaces: &[String]) -> Needs {
    let main = WatchTarget::of::<K>(&controller.kind, namespaces);
    let others = controller
        .sources
        .iter()
        .map(|source| source.target(operator, namespaces));
    let kinds: Vec<WatchTarget> = std::iter::once(main.clone()).chain(others).collect();
    let mut required: Vec<Permission> = kinds.iter().map(WatchTarget::reading).collect();
    if controller.work.report_error.is_some() {
        let status = format!("{}/status", main.kind.plural);
        required.push(Permission::new(&main.kind.group, status, &["patch"]));
    }
    if controller.work.cleanup.is_some() {
        let kind = &main.kind;
        required.push(Permission::new(&kind.group, &*kind.plural, &["patch"]));
    }
    Needs {
        kinds,
        required,
        wished: vec![Permission::new(
            "events.k8s.io",
            "events",
            &["create", "patch"],
        )],
        namespaces: namespaces.to_vec(),
    }
}

/// The default predicate. The cache has already dropped the changes that the controller itself
/// wrote.
fn everything<K: AnyObject>() -> Predicate<K> {
    Arc::new(|_, _| true)
}
