//! Metrics of reconciles.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use prometheus_client::{
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};
use tokio::time::Instant;

use crate::client::pending_waits::Waits;
use crate::context::cause::{Cause, Causes};
use crate::controller::{
    conditions::Conditions,
    running_reconciles::{RunningReconciles, Ticket},
    workqueue::{QueueMetrics, Workqueues},
};
use crate::http::health::Health;
use crate::metrics::{Labels, Traceable, histograms, register, traceable};

/// The buckets of controller-runtime.
const SECONDS: [f64; 40] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9,
    1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0,
    25.0, 30.0, 40.0, 50.0, 60.0,
];

/// The reason of a reconcile that exceeded its timeout.
pub(crate) const TIMED_OUT: &str = "TimedOut";

/// The results of a reconcile, as in controller-runtime.
const RESULTS: [&str; 4] = ["success", "error", "requeue", "requeue_after"];

/// The reason of a reconcile that panicked.
const PANICKED: &str = "Panicked";

/// Interval of the check for reconciles that have been running for long.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The metrics of all controllers.
pub(crate) struct Metrics {
    reconciles: Family<Labels<2>, Counter>,
    errors: Family<Labels<2>, Counter>,
    panics: Family<Labels<1>, Counter>,
    timeouts: Family<Labels<1>, Counter>,
    causes: Family<Labels<2>, Counter>,
    loops: Family<Labels<1>, Counter>,
    seconds: Family<Labels<1>, Traceable>,
    active: Family<Labels<1>, Gauge>,
    workers: Family<Labels<1>, Gauge>,
    queues: Workqueues,
    running_reconciles: Mutex<Vec<RunningReconciles>>,
    /// Number of objects by condition.
    pub conditions: Conditions,
}

impl Metrics {
    /// Creates the metrics and adds them to a registry.
    pub fn register(registry: &mut Registry) -> Self {
        let help = "Number of reconciles, by cause; a reconcile may have several causes";
        let causes = register(registry, "reconcile_causes", help);
        let help = "Number of detected hot loops: repeated reconciles without an external cause";
        let loops = register(registry, "reconcile_loops", help);
        let queues = Workqueues::register(registry);
        let conditions = Conditions::default();
        registry.register_collector(Box::new(conditions.clone()));
        let registry = registry.sub_registry_with_prefix("controller_runtime");
        let help = "Number of reconciles that timed out";
        let timeouts = register(registry, "reconcile_timeouts", help);
        let (name, help) = (
            "reconcile_time_seconds",
            "Duration of reconciles in seconds",
        );
        let seconds = histograms(registry, name, help, || traceable(SECONDS.into_iter()));
        let name = "max_concurrent_reconciles";
        let workers = register(
            registry,
            name,
            "Maximum number of reconciles that run concurrently",
        );
        Self {
            reconciles: register(registry, "reconcile", "Number of reconciles, by result"),
            errors: register(
                registry,
                "reconcile_errors",
                "Number of failed reconciles, by reason",
            ),
            panics: register(
                registry,
                "reconcile_panics",
                "Number of reconciles, predicates and mappers that panicked",
            ),
            timeouts,
            causes,
            loops,
            seconds,
            active: register(
                registry,
                "active_workers",
                "Number of reconciles that are running",
            ),
            workers,
            queues,
            running_reconciles: Mutex::default(),
            conditions,
        }
    }

    /// Creates the metrics of the controller `name`. `workers` is its concurrency.
    pub fn controller(self: &Arc<Self>, name: &str, workers: u16) -> ControllerMetrics {
        let by = [("controller", name.to_owned())];
        self.workers.get_or_create(&by).set(i64::from(workers));
        self.begin(name);
        let running_reconciles = RunningReconciles::new(name);
        self.queues.update_ages(&running_reconciles);
        self.running_reconciles().push(running_reconciles.clone());
        let caused = Cause::WORDS.map(|cause| {
            let by = [("controller", name.to_owned()), ("cause", cause.to_owned())];
            self.causes.get_or_create_owned(&by)
        });
        ControllerMetrics {
            all: self.clone(),
            running_reconciles,
            active: self.active.get_or_create_owned(&by),
            seconds: self.seconds.get_or_create_owned(&by),
            work: self.queues.work(name),
            caused,
            by,
        }
    }

    /// Creates the counters with the value 0: Prometheus does not see the first increment of a
    /// counter that did not exist before.
    fn begin(&self, controller: &str) {
        let by = [("controller", controller.to_owned())];
        for counted in [&self.panics, &self.timeouts, &self.loops] {
            let _ = counted.get_or_create(&by);
        }
        let with = |label, value: &str| {
            let [of_controller] = by.clone();
            [of_controller, (label, value.to_owned())]
        };
        for result in RESULTS {
            let _ = self.reconciles.get_or_create(&with("result", result));
        }
        for reason in [PANICKED, TIMED_OUT] {
            let _ = self.errors.get_or_create(&with("reason", reason));
        }
    }

    /// Checks the running reconciles of all controllers periodically; never completes.
    pub async fn watch_running(&self, health: &Health) -> Infallible {
        let mut interval = tokio::time::interval(CHECK_INTERVAL);
        loop {
            let _ = interval.tick().await;
            self.check_running(Instant::now(), health);
        }
    }

    fn check_running(&self, now: Instant, health: &Health) {
        for running_reconciles in self.running_reconciles().iter() {
            running_reconciles.report_long(now, health);
            self.queues.update_ages(running_reconciles);
        }
    }

    /// Returns the running reconciles of each controller.
    fn running_reconciles(&self) -> MutexGuard<'_, Vec<RunningReconciles>> {
        self.running_reconciles.lock()
    }
}

/// The metrics of one controller.
pub(crate) struct ControllerMetrics {
    all: Arc<Metrics>,
    by: Labels<1>,
    running_reconciles: RunningReconciles,
    active: Gauge,
    seconds: Traceable,
    work: Histogram,
    caused: [Counter; Cause::WORDS.len()],
}

impl ControllerMetrics {
    /// Returns the name of the controller.
    pub fn controller(&self) -> &str {
        self.running_reconciles.controller()
    }

    /// Returns the name of a reconcile's trace: the controller and the word of the first cause,
    /// such as `web child`. Other causes are left out, because there should be few different names.
    #[cfg(feature = "otel")]
    pub fn trace(&self, causes: &Causes) -> String {
        let mut words = causes.iter().map(Cause::word);
        format!("{} {}", self.controller(), words.next().unwrap_or_default())
    }

    /// Returns the metrics of the controller's queue.
    pub fn queue(&self) -> QueueMetrics {
        self.all.queues.of(self.controller())
    }

    /// Counts a reconcile of `object` (`namespace/name`) as active until `Running::returned` is
    /// called, and measures the time until the returned guard is dropped. `waits` contains the
    /// operations that the reconcile waits for.
    pub fn start(&self, object: String, causes: &Causes, waits: Waits) -> Running<'_> {
        self.active.inc();
        for cause in causes.iter() {
            self.caused[cause.number()].inc();
        }
        Running {
            of: self,
            start: Instant::now(),
            active: true,
            _ticket: self.running_reconciles.begin(object, waits),
        }
    }

    /// Counts a reconcile loop.
    pub fn loops(&self) {
        self.all.loops.get_or_create(&self.by).inc();
    }

    /// Counts a panic outside of reconciles: of a predicate or of a mapper.
    pub fn panicked(&self) {
        self.all.panics.get_or_create(&self.by).inc();
    }

    /// Counts a failed reconcile with its reason. A panic or a timeout, which have reasons of their
    /// own, also increases the counter of panics or timeouts.
    pub fn failed(&self, reason: &'static str) {
        self.ended("error");
        let by = self.with("reason", reason);
        self.all.errors.get_or_create(&by).inc();
        let counted = match reason {
            PANICKED => &self.all.panics,
            TIMED_OUT => &self.all.timeouts,
            _ => return,
        };
        counted.get_or_create(&self.by).inc();
    }

    fn with(&self, label: &'static str, value: &str) -> Labels<2> {
        let [of_controller] = self.by.clone();
        [of_controller, (label, value.to_owned())]
    }

    /// Counts a reconcile with one of [`RESULTS`].
    fn ended(&self, result: &str) {
        let by = self.with("result", result);
        self.all.reconciles.get_or_create(&by).inc();
    }
}

/// A reconcile that is being measured. Its time ends when this is dropped.
pub(crate) struct Running<'a> {
    of: &'a ControllerMetrics,
    start: Instant,
    /// False once the user's function has returned.
    active: bool,
    _ticket: Ticket,
}

impl Running<'_> {
    /// Stops counting the reconcile as active. Called when the user's function has returned;
    /// writing the status still counts as a part of the measured time.
    pub fn returned(&mut self) {
        if std::mem::take(&mut self.active) {
            self.of.active.dec();
        }
    }

    /// Counts a success. `again` is the requeue delay, if there is one.
    pub fn succeeded(self, again: Option<Duration>) {
        self.of.ended(match again {
            Some(_) => "requeue_after",
            None => "success",
        });
    }

    /// Counts a reconcile that neither succeeded nor failed, and is repeated: with the result
    /// `requeue`.
    pub fn put_off(self) {
        self.of.ended("requeue");
    }

    /// Counts a failure with its reason.
    pub fn failed(self, reason: &'static str) {
        self.of.failed(reason);
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.returned();
        let seconds = self.start.elapsed().as_secs_f64();
        observe(&self.of.seconds, seconds);
        self.of.work.observe(seconds);
    }
}

/// Records a value, with the id of the current trace.
#[cfg(feature = "otel")]
fn observe(histogram: &Traceable, value: f64) {
    let trace = crate::otel::trace::id().map(|id| [("trace_id", id)]);
    let now = trace.is_some().then(std::time::SystemTime::now);
    histogram.observe(value, trace, now);
}

#[cfg(not(feature = "otel"))]
fn observe(histogram: &Traceable, value: f64) {
    histogram.observe(value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::text;

    #[test]
    fn a_reconcile_leaves_its_figures() {
        let mut registry = Registry::default();
        let metrics = Arc::new(Metrics::register(&mut registry));
        let controller = metrics.controller("lolcow", 2);
        let start = || {
            let causes = Causes::from(Cause::Start);
            controller.start("ns/cow".to_owned(), &causes, Waits::default())
        };
        let longest =
            "workqueue_longest_running_processor_seconds{controller=\"lolcow\",name=\"lolcow\"} ";
        let has = |line: &str| text(&registry).contains(line);
        assert!(has(
            "controller_runtime_reconcile_total{controller=\"lolcow\",result=\"error\"} 0"
        ));
        let running_reconciles = start();
        assert!(has(&format!("{longest}0.0")));
        metrics.check_running(Instant::now(), &Health::default());
        assert!(has(longest) && !has(&format!("{longest}0.0\n")));
        assert!(has(
            "controller_runtime_active_workers{controller=\"lolcow\"} 1"
        ));
        running_reconciles.succeeded(None);
        start().succeeded(Some(Duration::ZERO));
        for reason in ["Forbidden", "Panicked", TIMED_OUT] {
            start().failed(reason);
        }
        start().put_off();
        let queue = controller.queue();
        queue.depth[0].inc();
        metrics.check_running(Instant::now(), &Health::default());

        let text = text(&registry);
        for line in [
            "controller_runtime_reconcile_total{controller=\"lolcow\",result=\"success\"} 1",
            "controller_runtime_reconcile_total{controller=\"lolcow\",result=\"error\"} 3",
            "controller_runtime_reconcile_total{controller=\"lolcow\",result=\"requeue_after\"} 1",
            "controller_runtime_reconcile_timeouts_total{controller=\"lolcow\"} 1",
            "reconcile_causes_total{controller=\"lolcow\",cause=\"start\"} 6",
            "workqueue_depth{controller=\"lolcow\",name=\"lolcow\",priority=\"100\"} 1",
            "workqueue_depth{controller=\"lolcow\",name=\"lolcow\",priority=\"-100\"} 0",
            "workqueue_adds_total{controller=\"lolcow\",name=\"lolcow\"} 0",
            "workqueue_retries_total{controller=\"lolcow\",name=\"lolcow\"} 0",
            "workqueue_queue_duration_seconds_count{controller=\"lolcow\",name=\"lolcow\"} 0",
            "workqueue_work_duration_seconds_count{controller=\"lolcow\",name=\"lolcow\"} 6",
            "workqueue_unfinished_work_seconds{controller=\"lolcow\",name=\"lolcow\"} 0.0",
            "controller_runtime_reconcile_total{controller=\"lolcow\",result=\"requeue\"} 1",
            "controller_runtime_reconcile_errors_total{controller=\"lolcow\",reason=\"Forbidden\"} 1",
            "controller_runtime_reconcile_panics_total{controller=\"lolcow\"} 1",
            "controller_runtime_reconcile_time_seconds_count{controller=\"lolcow\"} 6",
            "controller_runtime_active_workers{controller=\"lolcow\"} 0",
            "controller_runtime_max_concurrent_reconciles{controller=\"lolcow\"} 2",
            "workqueue_longest_running_processor_seconds{controller=\"lolcow\",name=\"lolcow\"} 0.0",
            "# EOF",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }
}
