//! Tests of reconciles that succeed, fail and panic, without an API server.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::Time};
use kube::Client;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::cache::{Cache, ListOrWatch, tests::known_to};
use crate::context::Shared;
use crate::controller::{failures::Failures, loops::LoopDetector};
use crate::events::Events;
use crate::mock::{self, MockMetrics, logged};

struct Bench {
    work: Arc<Work<ConfigMap>>,
    state: Arc<ControllerState<ConfigMap>>,
    figures: MockMetrics,
    reported: Arc<AtomicU32>,
}

/// Returns a controller with this `reconcile`, whose cache contains the object `a`.
fn bench(reconcile: fn() -> Result<Action>) -> Bench {
    bench_with(move |_| async move { reconcile() }.boxed())
}

fn bench_with(
    reconcile: impl Fn(Context<ConfigMap>) -> BoxFuture<'static, Result<Action>> + Send + Sync + 'static,
) -> Bench {
    let (client, _) = mock::client();
    let figures = MockMetrics::new();
    let reported = Arc::new(AtomicU32::new(0));
    let counter = reported.clone();
    Bench {
        work: Arc::new(Work {
            reconcile: Arc::new(move |_, context| reconcile(context)),
            cleanup: None,
            report_error: Some(Arc::new(move |_, _, _| {
                counter.fetch_add(1, Ordering::Relaxed);
            })),
            report_paused: None,
            backoff: Backoff {
                first: Duration::from_secs(1),
                longest: Duration::from_secs(4),
            },
            timeout: Some(Duration::from_millis(50)),
        }),
        state: state(client, known_to(&[object()]), &figures),
        figures,
        reported,
    }
}

/// Returns the state of the controller `me`, which reconciles one object at a time.
pub(crate) fn state<K: AnyObject>(
    client: Client,
    main: Arc<Cache<K>>,
    figures: &MockMetrics,
) -> Arc<ControllerState<K>> {
    let shared = Shared {
        operator: "op".into(),
        field_manager: "op/me".into(),
        client: client.clone(),
        main,
        informers: Arc::default(),
        watched: Vec::new(),
        references: Vec::new(),
        prunes: Vec::new(),
        events: Arc::new(Events::start(client, "op", "me")),
        state: Arc::default(),
        required: Vec::new(),
        condition_events: crate::condition_events::ConditionEvents::default(),
        status_limits: crate::status::limits(),
    };
    Arc::new(ControllerState {
        shared: Arc::new(shared),
        predicate: Arc::new(|_, _| true),
        metrics: figures.controllers.controller("me", 1).into(),
        failures: Failures::default(),
        loops: LoopDetector::default(),
        permits: Arc::new(Semaphore::new(1)),
        owned_shards: None,
        workers: tokio::runtime::Handle::current(),
        stop: CancellationToken::new(),
    })
}

/// Reconciles an object because of a child.
pub(crate) async fn run_once<K: AnyObject>(
    work: &Arc<Work<K>>,
    object: &K,
    state: &Arc<ControllerState<K>>,
) -> Action {
    let permit = state.permits.clone().acquire_owned().await.unwrap();
    let item = QueueItem {
        key: Arc::new(state.shared.main.key_of(object.meta())),
        causes: Cause::Child("Secret/b".to_owned()).into(),
        #[cfg(feature = "otel")]
        waited: Duration::ZERO,
    };
    let again = super::work(work.clone(), item, permit, state.clone()).await;
    again.map_or_else(Action::await_change, |(after, _)| Action::requeue(after))
}

fn object() -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = Some("a".into());
    map
}

impl Bench {
    async fn run(&self, object: ConfigMap) -> Action {
        run_once(&self.work, &object, &self.state).await
    }

    fn count(&self, line: &str) -> bool {
        self.figures.text().contains(line)
    }
}

#[tokio::test]
async fn success_returns_the_action_of_the_user() {
    let bench = bench(|| Ok(Action::requeue(Duration::from_secs(7))));
    assert_eq!(
        bench.run(object()).await,
        Action::requeue(Duration::from_secs(7))
    );
    assert!(bench.count("reconcile_total{controller=\"me\",result=\"requeue_after\"} 1"));
    assert_eq!(bench.reported.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn what_is_paused_is_left_alone() {
    let mut bench = bench(|| panic!("it is called"));
    let mut paused = object();
    let annotation = ("core/paused".to_owned(), "true".to_owned());
    paused.metadata.annotations = Some([annotation].into());
    let (client, _) = mock::client();
    bench.state = state(client, known_to(&[paused.clone()]), &bench.figures);
    let action = bench.run(paused).await;
    assert_eq!(action.after(), None);
    assert_eq!(bench.reported.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn errors_are_counted_reported_and_retried() {
    let bench = bench(|| Err(Error::new("Bad", "it is")));
    for _ in 0..4 {
        assert_ne!(bench.run(object()).await, Action::await_change());
    }
    assert_eq!(bench.reported.load(Ordering::Relaxed), 4);
    assert!(bench.count("reconcile_errors_total{controller=\"me\",reason=\"Bad\"} 4"));
    assert_eq!(bench.state.failures.add(ObjectRef::new("a"), ""), (5, true));
}

#[tokio::test]
async fn success_ends_a_row_of_failures() {
    let bench = bench(|| Ok(Action::await_change()));
    let (failures, key) = (&bench.state.failures, ObjectRef::new("a"));
    failures.add(key.clone(), "");
    assert_eq!(failures.in_a_row(&key), 1);
    bench.run(object()).await;
    assert_eq!(failures.in_a_row(&key), 0);
}

#[tokio::test]
async fn a_panic_is_an_error_like_others() {
    let bench = bench(|| panic!("no way"));
    assert_ne!(bench.run(object()).await, Action::await_change());
    assert!(bench.count("reconcile_panics_total{controller=\"me\"} 1"));
    assert!(bench.count("active_workers{controller=\"me\"} 0"));
    assert_eq!(bench.reported.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_panic_outside_the_reconcile_function_is_retried() {
    let mut of_report = bench(|| Ok(Action::await_change()));
    Arc::get_mut(&mut of_report.work).unwrap().report_paused =
        Some(Arc::new(|_, _| panic!("no way")));
    let mut of_predicate = bench_with(|context| {
        let mut newest = object();
        newest.metadata.resource_version = Some("7".into());
        context.shared.main.assume(newest.into(), "op/me");
        async { Ok(Action::await_change()) }.boxed()
    });
    Arc::get_mut(&mut of_predicate.state).unwrap().predicate = Arc::new(|_, _| panic!("no way"));
    for bench in [of_report, of_predicate] {
        assert_ne!(bench.run(object()).await, Action::await_change());
        assert_eq!(bench.state.failures.in_a_row(&ObjectRef::new("a")), 1);
        assert!(bench.count("reconcile_panics_total{controller=\"me\"} 1"));
        assert!(bench.count("reconcile_errors_total{controller=\"me\",reason=\"Panicked\"} 1"));
        assert!(bench.count("active_workers{controller=\"me\"} 0"));
    }
}

#[tokio::test]
async fn reconciles_that_do_not_return_time_out() {
    let bench = bench_with(|context| {
        async move {
            let forever = std::future::pending::<()>();
            context.waiting_for("the registrar", forever).await;
            Ok(Action::await_change())
        }
        .boxed()
    });
    assert_ne!(bench.run(object()).await, Action::await_change());
    assert!(bench.count("reconcile_timeouts_total{controller=\"me\"} 1"));
    assert!(bench.count("reconcile_errors_total{controller=\"me\",reason=\"TimedOut\"} 1"));
    assert!(bench.count("active_workers{controller=\"me\"} 0"));
    assert_eq!(bench.reported.load(Ordering::Relaxed), 1);
    let failures = &bench.state.failures;
    let text = "reconcile timed out after 0.05 s; waiting for the registrar for 0 s";
    let same_text = failures.add(ObjectRef::new("a"), text);
    assert_eq!(same_text, (2, false));
}

#[tokio::test]
async fn repeated_immediate_requeues_are_reported() {
    let bench = bench(|| Ok(Action::requeue(Duration::ZERO)));
    for _ in 0..10 {
        bench.run(object()).await;
    }
    let metric = "reconcile_loops_total{controller=\"me\"} 1";
    assert!(!bench.count(metric));
    bench.run(object()).await;
    assert!(bench.count(metric));
}

#[tokio::test]
async fn transient_errors_are_reported_from_the_third_time() {
    let bench = bench(|| Err(Error::new("Conflict", "another client was faster")));
    for expected in [0, 0, 1, 2] {
        bench.run(object()).await;
        assert_eq!(bench.reported.load(Ordering::Relaxed), expected);
    }
}

#[test]
fn retries_after_an_outage_have_a_short_delay() {
    let after_many = |reason| delay(Backoff::default(), &Error::new(reason, ""), 50);
    assert!(after_many("Unreachable") <= OUTAGE);
    assert!(after_many("Invalid") > OUTAGE);
}

#[tokio::test]
async fn an_object_that_goes_meanwhile_is_not_retried() {
    let bench = bench_with(|context| {
        let gone = &context.object.metadata;
        context.shared.main.remove(gone, ListOrWatch::Watch(&None));
        async { Err(Error::new("Bad", "it is")) }.boxed()
    });
    assert_eq!(bench.run(object()).await, Action::await_change());
    assert!(bench.count("reconcile_total{controller=\"me\",result=\"error\"} 1"));
    assert_eq!(bench.reported.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn failures_do_not_count_for_a_recreated_object() {
    let bench = bench_with(|context| {
        let mut successor = object();
        successor.metadata.uid = Some("2".into());
        successor.metadata.resource_version = Some("7".into());
        context.shared.main.assume(successor.into(), "op/other");
        async { Err(Error::new("Bad", "it is")) }.boxed()
    });
    let action = bench.run(object()).await;
    assert_eq!(action, Action::requeue(Duration::ZERO));
    assert_eq!(bench.reported.load(Ordering::Relaxed), 0);
    let key = ObjectRef::new("a");
    assert_eq!(bench.state.failures.in_a_row(&key), 0);
}

#[tokio::test]
async fn an_object_that_is_gone_when_its_turn_comes_has_none() {
    let bench = bench(|| panic!("must not be called"));
    let mut gone = object();
    gone.metadata.name = Some("gone".into());
    assert_eq!(bench.run(gone).await, Action::await_change());
}

#[tokio::test]
async fn an_object_that_changed_meanwhile_is_reconciled_again_at_once() {
    let changes = |context: &Context<ConfigMap>| {
        let mut newest = object();
        newest.metadata.generation = Some(2);
        newest.metadata.resource_version = Some("7".into());
        context.shared.main.assume(newest.into(), "op/me");
    };
    for bench in [
        bench_with(move |context| {
            changes(&context);
            async { Ok(Action::await_change()) }.boxed()
        }),
        bench_with(move |context| {
            changes(&context);
            async { Err(Error::new("Bad", "it is")) }.boxed()
        }),
    ] {
        let action = bench.run(object()).await;
        assert_eq!(action, Action::requeue(Duration::ZERO));
    }
}

#[tokio::test]
async fn nothing_starts_while_stopping_or_deleting() {
    let bench = bench(|| panic!("must not be called"));
    let mut deleting = object();
    deleting.metadata.deletion_timestamp = Some(Time(jiff::Timestamp::now()));
    deleting.metadata.resource_version = Some("7".into());
    bench
        .state
        .shared
        .main
        .assume(deleting.clone().into(), "op/me");
    assert_eq!(bench.run(deleting).await, Action::await_change());
    bench.state.stop.cancel();
    assert_eq!(bench.run(object()).await, Action::await_change());
    assert!(bench.count("active_workers{controller=\"me\"} 0"));
}

#[tokio::test]
async fn the_lines_of_a_reconcile_name_the_object_and_share_an_id() {
    let bench = bench(|| {
        tracing::info!("here");
        Err(Error::new("Bad", "it is"))
    });
    let text = logged(bench.run(object())).await;
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let [begun, said, failed] = &lines[..] else {
        panic!("{text}")
    };
    assert_eq!(begun["message"], "reconciling");
    assert_eq!(said["message"], "here");
    assert_eq!(failed["reason"], "Bad");
    assert_eq!(said["span"]["controller"], "me");
    assert_eq!(said["span"]["object"], "a");
    assert_eq!(said["span"]["cause"], "child Secret/b");
    assert!(
        said["span"]["reconcile_id"]
            .as_str()
            .is_some_and(|id| id.len() == 16)
    );
    assert_eq!(begun["span"], said["span"]);
    assert_eq!(said["span"], failed["span"]);
}
