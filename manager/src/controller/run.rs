//! Runs a controller: its watches, its caches, and the queue that they feed.

use std::{pin::pin, sync::Arc};

use futures::{
    FutureExt, Stream, StreamExt,
    future::{self, BoxFuture},
    stream::{self, SelectAll},
};
use kube::runtime::reflector::ObjectRef;
use serde::Serialize;
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{Instant, sleep_until},
};

use crate::cache::{
    self, Cache, change::Change, watch_health::WatchHealth, watch_target::WatchTarget,
};
use crate::context::{Shared, cause::Cause};
use crate::controller::builder::Controller;
use crate::controller::conditions;
use crate::controller::failures::Failures;
use crate::controller::first_lists::Lists;
use crate::controller::loops::Loops;
use crate::controller::preflight::{self, Needs};
use crate::controller::queue::Queue;
use crate::controller::reconcile::{Work, differ_vitally, work};
use crate::controller::runnable::{Environment, Runnable};
#[cfg(feature = "shards")]
use crate::controller::sharing::Sharing;
use crate::controller::source::{Opened, Opening, Wanted};
use crate::controller::state::{Predicate, State};
use crate::http::health::STARTING;
use crate::leader::standing::Standing;
use crate::limits::Limits;
use crate::object::{self, AnyObject};
use crate::rbac::Permission;
use crate::status;

impl<K: AnyObject + Serialize> Runnable for Controller<K> {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(self: Box<Self>, environment: Environment) -> BoxFuture<'static, ()> {
        environment.health.begins(&self.name, STARTING);
        environment.informers.announce::<K>(&self.kind);
        for source in &self.sources {
            source.announce(&environment.informers);
        }
        run(*self, environment).boxed()
    }
}

/// Waits until the preflight checks pass, fills the caches, and reconciles until it is stopped.
#[allow(
    clippy::too_many_lines,
    reason = "sets up values that depend on one another"
)]
async fn run<K: AnyObject + Serialize>(controller: Controller<K>, environment: Environment) {
    let watched = WatchHealth::new(
        &controller.name,
        environment.health.clone(),
        environment.interruptions.clone(),
    );
    let needs = needs(&controller, &environment.operator, &environment.namespaces);
    #[cfg(feature = "shards")]
    let needs = environment.shares(needs);
    let lists = Lists::new(&controller.name, &environment.health, &needs.kinds);
    if !may_start(&environment, &needs, &watched, &lists).await {
        return;
    }

    let health = environment.health.clone();
    let field_manager = cache::field_manager(&environment.operator, &controller.name);
    let opening = Opening {
        environment: &environment,
        field_manager: &field_manager,
        health: &watched,
    };
    let mut wanted = Wanted::default();
    wanted.watch.clone_from(&needs.kinds[0].watch);
    let own = opening.open::<K>(&controller.kind, wanted);
    let main = own.cache;
    let prunes = controller
        .sources
        .iter()
        .map(|source| source.prune.clone())
        .collect();
    let sources = controller.sources.into_iter();
    let sources: Vec<Opened<K>> = sources.map(|it| it.open(&opening, &main)).collect();

    for add in controller.indexes {
        add(&environment.informers, &field_manager);
    }
    let standing = environment.informers.standing.clone();
    #[cfg(feature = "shards")]
    let sharing = Sharing::of(&environment, &main);
    let shared = Shared {
        operator: environment.operator,
        field_manager,
        client: environment.client,
        main: main.clone(),
        informers: environment.informers,
        watched: needs.kinds.clone(),
        prunes,
        events: environment.events,
        condition_events: controller.condition_events,
        status_limits: status::limits(),
    };
    let metrics = &environment.metrics;
    let conditions = &metrics.conditions;
    let state = Arc::new(State {
        shared: Arc::new(shared),
        matters: controller.predicate.unwrap_or_else(everything),
        metrics: metrics.controller(&controller.name, controller.concurrency),
        failures: Failures::default(),
        loops: Loops::default(),
        turns: Arc::new(Semaphore::new(controller.concurrency.into())),
        workers: environment.workers,
        #[cfg(feature = "shards")]
        sharing,
        stop: environment.stop,
    });
    let mut triggers = SelectAll::new();
    triggers.push(all(main.clone(), standing.clone()).boxed());
    triggers.push(worth_reconciling(own.changes, state.clone()).boxed());
    let count = conditions::counter(main.clone());
    let mut freshness = vec![main.freshness.clone()];
    let mut waiting = vec![async move { main.synced().await }.boxed()];
    let mut driving = vec![own.drive];
    for source in sources {
        triggers.push(source.triggers);
        waiting.push(source.synced);
        driving.push(source.drive);
        freshness.push(source.freshness);
    }
    for trigger in controller.triggers {
        let standing = standing.clone();
        let leads = async move { standing.lead().await };
        let trigger = trigger.map(|key| (key, Cause::Trigger));
        triggers.push(leads.map(|_| trigger).flatten_stream().boxed());
    }

    #[cfg(feature = "shards")]
    triggers.extend(
        state
            .sharing
            .clone()
            .map(|it| it.starts(freshness.clone()).boxed()),
    );

    // Reconciling starts after all caches are filled: before that, children would seem to be missing.
    let synced = lists.come(needs.kinds.into_iter().zip(waiting));
    let announced = async {
        let controller = &controller.name;
        synced.await;
        health.ready(controller);
        if !standing.is_leading() {
            tracing::info!(controller, "caches are filled, waiting for the lease");
        }
        if let Some(moment) = standing.lead().await {
            let fresh = freshness.iter().map(|known| known.reaches(moment));
            future::join_all(fresh).await;
        }
        conditions.add(controller, count);
        tracing::info!(controller, "caches are filled, reconciling");
    };
    let running = reconcile_all(
        triggers,
        announced,
        Arc::new(controller.work),
        controller.pace,
        state,
        &standing,
    );
    future::select(future::join_all(driving), pin!(running)).await;
}

/// Reconciles the objects of the queue once `ready` completes. Returns when the controller is stopped and no reconcile
/// is running.
async fn reconcile_all<K: AnyObject>(
    mut triggers: impl Stream<Item = (ObjectRef<K>, Cause)> + Unpin,
    ready: impl Future<Output = ()>,
    functions: Arc<Work<K>>,
    pace: Option<Limits<()>>,
    state: Arc<State<K>>,
    standing: &Standing,
) {
    let mut queue = Queue::new(state.metrics.queue());
    let mut running = JoinSet::new();
    // Twice the concurrency: reconciles that have returned may still write their status while others run.
    let at_once = 2 * state.turns.available_permits();
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
            () = state.stop.cancelled() => {}
            () = &mut ready, if !is_ready => is_ready = true,
            Some((key, cause)) = triggers.next() => {
                #[cfg(feature = "shards")]
                if !state.works_on(&key) {
                    continue;
                }
                // Changes before this replica leads are dropped: when it starts to lead, every object is reconciled.
                if standing.is_leading() {
                    queue.add(key, cause, Instant::now());
                }
            }
            Some(done) = running.join_next() => match done {
                Ok((key, again)) => queue.done(&key, again, Instant::now()),
                Err(error) => tracing::error!(%error, "reconcile task panicked or was aborted"),
            },
            () = sleep_until(due.unwrap_or(now)), if due.is_some() => {}
            Ok(permit) = state.turns.clone().acquire_owned(), if may_start => {
                if let Some(Err(wait)) = pace.as_ref().map(|pace| pace.take((), now.into_std())) {
                    next = now + wait;
                    continue;
                }
                let Some(turn) = queue.take(Instant::now()) else { continue };
                let workers = state.workers.clone();
                let (functions, state) = (functions.clone(), state.clone());
                let work = async move {
                    let key = turn.key.clone();
                    (key, work(functions, turn, permit, state).await)
                };
                running.spawn_on(work, &workers);
            }
        }
    }
    while running.join_next().await.is_some() {}
}

/// Waits until the preflight checks pass. Returns false if the controller is stopped before.
async fn may_start(
    environment: &Environment,
    needs: &Needs,
    watched: &WatchHealth,
    lists: &Lists,
) -> bool {
    lists.tell();
    preflight::passed(&environment.client, needs, watched, &environment.stop).await;
    lists.tell();
    !environment.stop.is_cancelled()
}

/// Yields every object of the cache when this replica starts to lead.
fn all<K: AnyObject>(
    main: Arc<Cache<K>>,
    standing: Standing,
) -> impl Stream<Item = (ObjectRef<K>, Cause)> + Send + 'static {
    let listed = async move {
        main.synced().await;
        standing.lead().await;
        stream::iter(main.keys().into_iter().map(|key| (key, Cause::Start)))
    };
    listed.flatten_stream()
}

/// Yields the objects whose changes lead to a reconcile, and forgets the failures of deleted objects.
fn worth_reconciling<K: AnyObject>(
    changes: impl Stream<Item = Change<K>> + Send + 'static,
    state: Arc<State<K>>,
) -> impl Stream<Item = (ObjectRef<K>, Cause)> + Send + 'static {
    changes.filter_map(move |change| {
        let kind = &state.shared.main.kind;
        let key = object::key_of(kind, change.object().meta());
        future::ready(match change {
            Change::Applied { before: None, .. } => Some((key, Cause::Changed)),
            Change::Applied {
                before: Some(before),
                now,
            } => {
                let (before_meta, meta) = (before.meta(), now.meta());
                let vital = differ_vitally(kind, before.as_ref(), now.as_ref());
                let cause = if object::differ_besides_status(before_meta, meta) {
                    Cause::Changed
                } else {
                    Cause::Status
                };
                (vital || (state.matters)(&before, &now)).then_some((key, cause))
            }
            Change::Removed(_) => {
                state.failures.reset(&key);
                state.loops.end(&key);
                None
            }
        })
    })
}

fn needs<K: AnyObject>(controller: &Controller<K>, operator: &str, namespaces: &[String]) -> Needs {
    let main = WatchTarget::of::<K>(&controller.kind, namespaces);
    let others = controller
        .sources
        .iter()
        .map(|source| source.target(operator, namespaces));
    let kinds: Vec<WatchTarget> = std::iter::once(main.clone()).chain(others).collect();
    let mut required: Vec<Permission> = kinds.iter().map(WatchTarget::reading).collect();
    if controller.work.blame.is_some() {
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

/// The default predicate. The cache has already dropped the changes that the controller itself wrote.
fn everything<K: AnyObject>() -> Predicate<K> {
    Arc::new(|_, _| true)
}
