//! A controller at work: its watches, its caches, and its queue that is fed by them.

use std::{pin::pin, sync::Arc};

use futures::{
    FutureExt, Stream, StreamExt, future,
    stream::{self, SelectAll},
};
use kube::runtime::reflector::ObjectRef;
use serde::Serialize;
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{Instant, sleep_until},
};

use crate::{
    cache::{self, Cache, Change, watch_health::WatchHealth, watch_target::WatchTarget},
    controller::{
        Controller, Predicate,
        backoff::Failures,
        cause::Cause,
        context::Shared,
        first_lists::Lists,
        loops::Loops,
        preflight::{self, Needs},
        queue::Queue,
        reconcile::{Work, work},
        source::{Opened, Opening},
    },
    manager::Environment,
    object::{self, Object},
    rbac::Permission,
    status,
};

/// Waits for what the controller needs, fills its caches, and reconciles until it is told to stop.
pub(crate) async fn run<K: Object + Serialize>(
    controller: Controller<K>,
    environment: Environment,
) {
    let (health, metrics) = (environment.health.clone(), environment.metrics.clone());
    let watched = WatchHealth::new(&controller.name, health, metrics);
    let needs = needs(&controller, &environment.namespaces);
    let lists = Lists::new(&controller.name, &environment.health, &needs.kinds);
    if !may_start(&environment, &needs, &watched, &lists).await {
        return;
    }

    let Environment {
        client,
        namespaces,
        informers,
        health,
        stop,
        ..
    } = &environment;
    let field_manager = cache::field_manager(&environment.operator, &controller.name);
    let opening = Opening {
        operator: &environment.operator,
        field_manager: &field_manager,
        client,
        namespaces,
        informers,
        watched: &watched,
    };
    let own = opening.open::<K>();
    let main = own.cache;
    let sources = controller
        .sources
        .into_iter()
        .map(|source| source.open(&opening, &main));
    let sources: Vec<Opened<K>> = sources.collect();

    let matters = controller.predicate.unwrap_or_else(everything);
    let shared = Arc::new(Shared {
        operator: environment.operator.clone(),
        field_manager,
        client: client.clone(),
        main: main.clone(),
        matters,
        informers: informers.clone(),
        events: environment.events.clone(),
        metrics: environment
            .metrics
            .controller(&controller.name, controller.concurrency),
        failures: Failures::default(),
        loops: Loops::default(),
        status_limits: status::limits(),
        turns: Arc::new(Semaphore::new(controller.concurrency.into())),
        stop: stop.clone(),
    });
    let mut triggers = SelectAll::new();
    triggers.push(all(main.clone()).boxed());
    triggers.push(worth_reconciling(own.changes, shared.clone()).boxed());
    let mut waiting = vec![async move { main.synced().await }.boxed()];
    let mut driving = vec![own.drive];
    for source in sources {
        triggers.push(source.triggers);
        waiting.push(source.synced);
        driving.push(source.drive);
    }
    for trigger in controller.triggers {
        triggers.push(trigger.map(|key| (key, Cause::Trigger)).boxed());
    }

    // Reconciling starts when everything is known: before that, children would look missing.
    let synced = lists.come(needs.kinds.into_iter().zip(waiting));
    let announced = synced.map(|()| {
        health.ready(&controller.name);
        let controller = controller.name;
        tracing::info!(controller, "caches are filled, reconciling");
    });
    let running = reconcile_all(triggers, announced, Arc::new(controller.work), shared);
    future::select(future::join_all(driving), pin!(running)).await;
}

/// Gives each object its turn, once `ready` is done, and ends when it is told to stop and nothing is under way any
/// more.
async fn reconcile_all<K: Object>(
    mut triggers: impl Stream<Item = (ObjectRef<K>, Cause)> + Unpin,
    ready: impl Future<Output = ()>,
    functions: Arc<Work<K>>,
    shared: Arc<Shared<K>>,
) {
    let mut queue = Queue::new(shared.metrics.queue());
    let mut running = JoinSet::new();
    // While the status of as many others is written.
    let at_once = 2 * shared.turns.available_permits();
    let mut ready = pin!(ready.fuse());
    let mut is_ready = false;
    while !shared.stop.is_cancelled() {
        let now = Instant::now();
        let may_start = queue.is_ready(now) && is_ready && running.len() < at_once;
        let due = queue.next_due();
        tokio::select! {
            () = shared.stop.cancelled() => {}
            () = &mut ready, if !is_ready => is_ready = true,
            Some((key, cause)) = triggers.next() => queue.add(key, cause, Instant::now()),
            Some(done) = running.join_next() => match done {
                Ok((key, again)) => queue.done(&key, again, Instant::now()),
                Err(error) => tracing::error!(%error, "a reconcile ended in a way that it cannot"),
            },
            () = sleep_until(due.unwrap_or(now)), if due.is_some() => {}
            Ok(permit) = shared.turns.clone().acquire_owned(), if may_start => {
                let Some(turn) = queue.take(Instant::now()) else { continue };
                let (functions, shared) = (functions.clone(), shared.clone());
                running.spawn(async move {
                    let key = turn.key.clone();
                    (key, work(functions, turn, permit, shared).await)
                });
            }
        }
    }
    while running.join_next().await.is_some() {}
}

/// Waits until nothing it needs is missing; false if it is told to stop before.
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

/// Every object that there is at start.
fn all<K: Object>(
    main: Arc<Cache<K>>,
) -> impl Stream<Item = (ObjectRef<K>, Cause)> + Send + 'static {
    let listed = async move {
        main.synced().await;
        stream::iter(main.keys().into_iter().map(|key| (key, Cause::Start)))
    };
    listed.flatten_stream()
}

/// The objects whose change matters. An object that is gone has no failures any more.
fn worth_reconciling<K: Object>(
    changes: impl Stream<Item = Change<K>> + Send + 'static,
    shared: Arc<Shared<K>>,
) -> impl Stream<Item = (ObjectRef<K>, Cause)> + Send + 'static {
    changes.filter_map(move |change| {
        let key = ObjectRef::from_obj(change.object());
        future::ready(match change {
            Change::Applied { before: None, .. } => Some((key, Cause::Changed)),
            Change::Applied {
                before: Some(before),
                now,
            } => {
                let (before_meta, meta) = (before.meta(), now.meta());
                let vital = object::differ_vitally(before_meta, meta);
                let cause = if object::differ_besides_status(before_meta, meta) {
                    Cause::Changed
                } else {
                    Cause::Status
                };
                (vital || (shared.matters)(&before, &now)).then_some((key, cause))
            }
            Change::Removed(_) => {
                shared.failures.reset(&key);
                shared.loops.end(&key);
                None
            }
        })
    })
}

fn needs<K: Object>(controller: &Controller<K>, namespaces: &[String]) -> Needs {
    let main = WatchTarget::of::<K>(namespaces);
    let others = controller
        .sources
        .iter()
        .map(|source| source.kind(namespaces));
    let kinds: Vec<WatchTarget> = std::iter::once(main.clone()).chain(others).collect();
    let mut required: Vec<Permission> = kinds.iter().map(WatchTarget::reading).collect();
    if controller.work.blame.is_some() {
        let status = format!("{}/status", main.plural);
        required.push(Permission::new(&main.group, status, &["patch"]));
    }
    if controller.work.cleanup.is_some() {
        required.push(Permission::new(&main.group, &*main.plural, &["patch"]));
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

/// What the controller wrote itself is not among the changes.
fn everything<K: Object>() -> Predicate<K> {
    Arc::new(|_, _| true)
}
