//! A controller at work: its watches, its caches, and `kube::runtime::Controller` that is fed by
//! them.

use std::{convert::Infallible, sync::Arc};

use futures::{FutureExt, Stream, StreamExt, future, stream};
use kube::runtime::{Config, controller::Controller as Runtime, reflector::ObjectRef};
use serde::Serialize;
use tokio::sync::Semaphore;

use crate::{
    cache::{self, Cache, Change, watch_health::WatchHealth, watch_target::WatchTarget},
    controller::{
        Controller, Predicate,
        backoff::Failures,
        context::Shared,
        first_lists::Lists,
        preflight::{self, Needs},
        reconcile::work,
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
        .map(|source| source.open(&opening, main.reader()));
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
        status_limits: status::limits(),
        turns: Semaphore::new(controller.concurrency.into()),
        stop: stop.clone(),
    });
    let trigger = all(main.clone()).chain(worth_reconciling(own.changes, shared.clone()));
    // While the status of as many others is written.
    let at_once = controller.concurrency.saturating_mul(2);
    let mut runtime = Runtime::for_shared_stream(trigger, main.reader().clone())
        .with_config(Config::default().concurrency(at_once))
        .graceful_shutdown_on(stop.clone().cancelled_owned());
    let mut waiting = vec![async move { main.synced().await }.boxed()];
    let mut driving = vec![own.drive];
    for source in sources {
        runtime = runtime.reconcile_on(source.triggers);
        waiting.push(source.synced);
        driving.push(source.drive);
    }
    for trigger in controller.triggers {
        runtime = runtime.reconcile_on(trigger);
    }

    // Reconciling starts when everything is known: before that, children would look missing.
    let synced = lists.come(needs.kinds.into_iter().zip(waiting)).shared();
    let announced = synced.clone().then(|()| {
        health.ready(&controller.name);
        tracing::info!(
            controller = controller.name,
            "caches are filled, reconciling"
        );
        future::pending::<()>()
    });
    let functions = Arc::new(controller.work);
    let reconcile = move |object: Arc<K>, shared: Arc<Shared<K>>| {
        let (functions, synced) = (functions.clone(), synced.clone());
        async move {
            future::select(synced, Box::pin(shared.stop.cancelled())).await;
            Ok::<_, Infallible>(work(functions, object, shared.clone()).await)
        }
    };
    let running = runtime
        .run(
            reconcile,
            |_, never: &Infallible, _| match *never {},
            shared,
        )
        .for_each(|result| {
            if let Err(error) = result {
                tracing::debug!(%error, "not reconciled");
            }
            future::ready(())
        });
    let beside = future::join(announced, future::join_all(driving));
    // First what tells that it is ready: a reconcile that blocks its thread would keep it from that.
    future::select(Box::pin(beside), Box::pin(running)).await;
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
fn all<K: Object>(main: Arc<Cache<K>>) -> impl Stream<Item = Arc<K>> + Send + 'static {
    let listed = async move {
        main.synced().await;
        stream::iter(main.reader().state())
    };
    listed.flatten_stream()
}

/// The objects whose change matters. An object that is gone has no failures any more.
fn worth_reconciling<K: Object>(
    changes: impl Stream<Item = Change<K>> + Send + 'static,
    shared: Arc<Shared<K>>,
) -> impl Stream<Item = Arc<K>> + Send + 'static {
    changes.filter_map(move |change| {
        future::ready(match change {
            Change::Applied { before: None, now } => Some(now),
            Change::Applied {
                before: Some(before),
                now,
            } => {
                let vital = object::differ_vitally(before.meta(), now.meta());
                (vital || (shared.matters)(&before, &now)).then_some(now)
            }
            Change::Removed(last) => {
                shared.failures.reset(&ObjectRef::from_obj(last.as_ref()));
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
