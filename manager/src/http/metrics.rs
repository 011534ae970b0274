//! Figures about the operator.
//!
//! Where controller-runtime has a figure, this one has its name and its labels, so that dashboards
//! and alerts made for Go operators work. Labels take few values: names of controllers, results,
//! reasons that are words in the source code.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram, info::Info},
    registry::Registry,
};

use crate::{
    controller::{
        cause::{Cause, Causes},
        under_way::{Ticket, UnderWay, Waits},
    },
    http::{process_metrics::Process, rest_client::Requests, workqueue::Workqueues},
};

pub(crate) use crate::http::workqueue::QueueMetrics;

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ByController {
    controller: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ByResult {
    controller: String,
    result: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ByReason {
    controller: String,
    reason: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ByCause {
    controller: String,
    cause: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ByInterruption {
    controller: String,
    resource: String,
    reason: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ByName {
    name: String,
}

/// As in controller-runtime.
const SECONDS: [f64; 40] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9,
    1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0,
    25.0, 30.0, 40.0, 50.0, 60.0,
];

/// The reason of a reconcile that took too long.
pub(crate) const TIMED_OUT: &str = "TimedOut";

/// All figures of the process.
pub(crate) struct Metrics {
    registry: Registry,
    reconciles: Family<ByResult, Counter>,
    errors: Family<ByReason, Counter>,
    panics: Family<ByController, Counter>,
    timeouts: Family<ByController, Counter>,
    causes: Family<ByCause, Counter>,
    loops: Family<ByController, Counter>,
    seconds: Family<ByController, Histogram>,
    active: Family<ByController, Gauge>,
    workers: Family<ByController, Gauge>,
    queues: Workqueues,
    leader: Family<ByName, Gauge>,
    interruptions: Family<ByInterruption, Counter>,
    under_way: Mutex<Vec<UnderWay>>,
    pub requests: Arc<Requests>,
    #[cfg(feature = "webhook")]
    pub webhooks: crate::webhook::WebhookMetrics,
}

impl Metrics {
    pub fn new(operator: &str, version: &str) -> Self {
        let mut registry = Registry::default();
        let labels = vec![
            ("operator", operator.to_owned()),
            ("version", version.to_owned()),
        ];
        registry.register(
            "operator_build",
            "The operator and its version",
            Info::new(labels),
        );

        let reconciles = Family::default();
        let errors = Family::default();
        let panics = Family::default();
        let timeouts = Family::default();
        let causes = Family::default();
        let loops = Family::default();
        let seconds: Family<ByController, Histogram> =
            Family::new_with_constructor(|| Histogram::new(SECONDS));
        let active = Family::default();
        let workers = Family::default();
        let leader = Family::default();
        let figures = registry.sub_registry_with_prefix("controller_runtime");
        figures.register(
            "reconcile",
            "Reconciles, by how they ended",
            reconciles.clone(),
        );
        figures.register(
            "reconcile_errors",
            "Reconciles that failed, by reason",
            errors.clone(),
        );
        figures.register(
            "reconcile_panics",
            "Reconciles that panicked",
            panics.clone(),
        );
        figures.register(
            "reconcile_timeouts",
            "Reconciles that were ended because they took too long",
            timeouts.clone(),
        );
        figures.register(
            "reconcile_time_seconds",
            "How long reconciles took",
            seconds.clone(),
        );
        figures.register("active_workers", "Reconciles under way", active.clone());
        figures.register(
            "max_concurrent_reconciles",
            "Reconciles that may be under way at once",
            workers.clone(),
        );
        registry.register(
            "reconcile_causes",
            "What led to reconciles; one may have several causes",
            causes.clone(),
        );
        registry.register(
            "reconcile_loops",
            "Times that an object was reconciled again and again without a cause from outside",
            loops.clone(),
        );
        let queues = Workqueues::register(&mut registry);
        let requests = Arc::new(Requests::register(&mut registry));
        let help = "1 while this process holds the lease";
        registry.register("leader_election_master_status", help, leader.clone());
        let interruptions = Family::default();
        registry.register(
            "watch_interruptions",
            "Watches that ended before their time, by reason",
            interruptions.clone(),
        );
        registry.register_collector(Box::new(Process));
        #[cfg(feature = "webhook")]
        let webhooks = crate::webhook::WebhookMetrics::register(&mut registry);
        Self {
            registry,
            reconciles,
            errors,
            panics,
            timeouts,
            causes,
            loops,
            seconds,
            active,
            workers,
            queues,
            leader,
            interruptions,
            under_way: Mutex::default(),
            requests,
            #[cfg(feature = "webhook")]
            webhooks,
        }
    }

    /// Where the operator's author adds figures.
    pub fn registry(&mut self) -> &mut Registry {
        &mut self.registry
    }

    /// Whether this process holds the lease called `name`.
    pub fn leads(&self, name: &str, leads: bool) {
        self.leader
            .get_or_create(&ByName {
                name: name.to_owned(),
            })
            .set(i64::from(leads));
    }

    /// A watch of `controller` ended as it should not.
    pub fn interrupted(&self, controller: &str, resource: &str, reason: &'static str) {
        let by = ByInterruption {
            controller: controller.to_owned(),
            resource: resource.to_owned(),
            reason,
        };
        self.interruptions.get_or_create(&by).inc();
    }

    pub fn controller(self: &Arc<Self>, name: &str, workers: u16) -> ControllerMetrics {
        let by = ByController {
            controller: name.to_owned(),
        };
        self.workers.get_or_create(&by).set(i64::from(workers));
        let under_way = UnderWay::new(name);
        self.all_under_way().push(under_way.clone());
        let caused = Cause::WORDS.map(|cause| {
            let controller = name.to_owned();
            self.causes
                .get_or_create_owned(&ByCause { controller, cause })
        });
        ControllerMetrics {
            all: self.clone(),
            name: name.to_owned(),
            under_way,
            active: self.active.get_or_create_owned(&by),
            seconds: self.seconds.get_or_create_owned(&by),
            work: self.queues.work(name),
            caused,
        }
    }

    /// The reconciles under way, of each controller.
    pub fn under_way(&self) -> Vec<UnderWay> {
        self.all_under_way().clone()
    }

    fn all_under_way(&self) -> MutexGuard<'_, Vec<UnderWay>> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// All of them, in the `OpenMetrics` format.
    pub fn text(&self) -> String {
        for under_way in self.under_way() {
            self.queues.look(&under_way);
        }
        let mut text = String::new();
        // writing to a string does not fail
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// The figures of one controller.
pub(crate) struct ControllerMetrics {
    all: Arc<Metrics>,
    name: String,
    under_way: UnderWay,
    active: Gauge,
    seconds: Histogram,
    work: Histogram,
    caused: [Counter; Cause::WORDS.len()],
}

impl ControllerMetrics {
    /// The name of the controller.
    pub fn controller(&self) -> &str {
        &self.name
    }

    /// The figures of its queue.
    pub fn queue(&self) -> QueueMetrics {
        self.all.queues.of(&self.name)
    }

    /// Counts a reconcile of `object` as under way until it has returned, and takes the time until what is
    /// returned here is dropped.
    pub fn start(&self, object: String, causes: &Causes, waits: Waits) -> Running<'_> {
        self.active.inc();
        for cause in causes.iter() {
            self.caused[cause.number()].inc();
        }
        Running {
            of: self,
            start: Instant::now(),
            active: true,
            _ticket: self.under_way.begin(object, waits),
        }
    }

    /// An object is reconciled again and again.
    pub fn loops(&self) {
        self.all.loops.get_or_create(&self.by()).inc();
    }

    fn by(&self) -> ByController {
        ByController {
            controller: self.name.clone(),
        }
    }

    fn ended(&self, result: &'static str) {
        self.all
            .reconciles
            .get_or_create(&ByResult {
                controller: self.name.clone(),
                result,
            })
            .inc();
    }
}

pub(crate) struct Running<'a> {
    of: &'a ControllerMetrics,
    start: Instant,
    active: bool,
    _ticket: Ticket,
}

impl Running<'_> {
    /// What is left is writing the status.
    pub fn returned(&mut self) {
        if std::mem::take(&mut self.active) {
            self.of.active.dec();
        }
    }

    /// It wants to be called again after a while, or not.
    pub fn succeeded(self, again: Option<Duration>) {
        self.of.ended(match again {
            Some(_) => "requeue_after",
            None => "success",
        });
    }

    /// Neither: it is done again.
    pub fn put_off(self) {
        self.of.ended("requeue");
    }

    pub fn failed(self, reason: &'static str) {
        self.of.ended("error");
        let by = ByReason {
            controller: self.of.name.clone(),
            reason,
        };
        self.of.all.errors.get_or_create(&by).inc();
        let counted = match reason {
            "Panicked" => &self.of.all.panics,
            TIMED_OUT => &self.of.all.timeouts,
            _ => return,
        };
        counted.get_or_create(&self.of.by()).inc();
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.returned();
        let seconds = self.start.elapsed().as_secs_f64();
        self.of.seconds.observe(seconds);
        self.of.work.observe(seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reconcile_leaves_its_figures() {
        let metrics = Arc::new(Metrics::new("lolcow-operator", "1.2.3"));
        let controller = metrics.controller("lolcow", 2);
        let start = || {
            let causes = Causes::from(Cause::Start);
            controller.start("ns/cow".to_owned(), &causes, Waits::default())
        };
        let under_way = start();
        assert!(metrics.text().contains(
            "workqueue_longest_running_processor_seconds{controller=\"lolcow\",name=\"lolcow\"}"
        ));
        assert!(
            metrics
                .text()
                .contains("controller_runtime_active_workers{controller=\"lolcow\"} 1")
        );
        under_way.succeeded(None);
        start().succeeded(Some(Duration::ZERO));
        for reason in ["Forbidden", "Panicked", TIMED_OUT] {
            start().failed(reason);
        }
        start().put_off();
        let queue = controller.queue();
        queue.depth[0].inc();
        metrics.leads("lolcow-operator", true);

        let text = metrics.text();
        for line in [
            "operator_build_info{operator=\"lolcow-operator\",version=\"1.2.3\"} 1",
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
            "leader_election_master_status{name=\"lolcow-operator\"} 1",
            "# TYPE process_cpu_seconds counter",
            "process_cpu_seconds_total ",
            "process_resident_memory_bytes ",
            "process_virtual_memory_bytes ",
            "process_start_time_seconds ",
            "process_open_fds ",
            "process_max_fds ",
            "process_threads ",
            "# EOF",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }
}
