//! Figures about the operator, in the `OpenMetrics` text format.
//!
//! Where controller-runtime has a figure, this one has its name and its labels, so that dashboards
//! and alerts made for Go operators work. Labels take few values: names of controllers, results,
//! reasons that are words in the source code.

use std::{sync::Arc, time::Instant};

use http::{HeaderValue, Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::Full;
use hyper::body::Bytes;
use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram, info::Info},
    registry::Registry,
};

use crate::{process::Process, serve, webhook};

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

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
struct ByName {
    name: String,
}

/// From 5 ms to 60 s, as in controller-runtime but fewer.
const SECONDS: [f64; 13] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0,
];

/// All figures of the process.
pub(crate) struct Metrics {
    registry: Registry,
    reconciles: Family<ByResult, Counter>,
    errors: Family<ByReason, Counter>,
    panics: Family<ByController, Counter>,
    seconds: Family<ByController, Histogram>,
    active: Family<ByController, Gauge>,
    workers: Family<ByController, Gauge>,
    leader: Family<ByName, Gauge>,
    pub webhooks: webhook::Figures,
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
        let help = "1 while this process holds the lease";
        registry.register("leader_election_master_status", help, leader.clone());
        registry.register_collector(Box::new(Process));
        let webhooks = webhook::Figures::register(&mut registry);
        Self {
            registry,
            reconciles,
            errors,
            panics,
            seconds,
            active,
            workers,
            leader,
            webhooks,
        }
    }

    /// Whether this process holds the lease called `name`.
    pub fn leads(&self, name: &str, leads: bool) {
        self.leader
            .get_or_create(&ByName {
                name: name.to_owned(),
            })
            .set(i64::from(leads));
    }

    pub fn controller(self: &Arc<Self>, name: &str, workers: u16) -> ControllerMetrics {
        let by = ByController {
            controller: name.to_owned(),
        };
        self.workers.get_or_create(&by).set(i64::from(workers));
        self.active.get_or_create(&by).set(0);
        ControllerMetrics {
            all: self.clone(),
            name: name.to_owned(),
        }
    }

    /// The answer to a request for `path`.
    pub fn answer(&self, path: &str) -> Response<Full<Bytes>> {
        if path != "/metrics" {
            return serve::text(StatusCode::NOT_FOUND, "there is /metrics\n".to_owned());
        }
        let mut response = serve::text(StatusCode::OK, self.text());
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static(OPEN_METRICS));
        response
    }

    pub fn text(&self) -> String {
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
}

impl ControllerMetrics {
    /// The name of the controller.
    pub fn controller(&self) -> &str {
        &self.name
    }

    /// Counts a reconcile as under way until it has returned, and takes the time until what is returned here is
    /// dropped.
    pub fn start(&self) -> Running<'_> {
        self.all.active.get_or_create(&self.by()).inc();
        Running {
            of: self,
            start: Instant::now(),
            active: true,
        }
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
}

impl Running<'_> {
    /// What is left is writing the status.
    pub fn returned(&mut self) {
        if std::mem::take(&mut self.active) {
            self.of.all.active.get_or_create(&self.of.by()).dec();
        }
    }

    pub fn succeeded(self) {
        self.of.ended("success");
    }

    pub fn failed(self, reason: &'static str) {
        self.of.ended("error");
        let by = ByReason {
            controller: self.of.name.clone(),
            reason,
        };
        self.of.all.errors.get_or_create(&by).inc();
        if reason == "Panicked" {
            self.of.all.panics.get_or_create(&self.of.by()).inc();
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.returned();
        self.of
            .all
            .seconds
            .get_or_create(&self.of.by())
            .observe(self.start.elapsed().as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reconcile_leaves_its_figures() {
        let metrics = Arc::new(Metrics::new("lolcow-operator", "1.2.3"));
        let controller = metrics.controller("lolcow", 2);
        let under_way = controller.start();
        assert!(
            metrics
                .text()
                .contains("controller_runtime_active_workers{controller=\"lolcow\"} 1")
        );
        under_way.succeeded();
        controller.start().failed("Forbidden");
        controller.start().failed("Panicked");
        metrics.leads("lolcow-operator", true);

        let text = metrics.text();
        for line in [
            "operator_build_info{operator=\"lolcow-operator\",version=\"1.2.3\"} 1",
            "controller_runtime_reconcile_total{controller=\"lolcow\",result=\"success\"} 1",
            "controller_runtime_reconcile_total{controller=\"lolcow\",result=\"error\"} 2",
            "controller_runtime_reconcile_errors_total{controller=\"lolcow\",reason=\"Forbidden\"} 1",
            "controller_runtime_reconcile_panics_total{controller=\"lolcow\"} 1",
            "controller_runtime_reconcile_time_seconds_count{controller=\"lolcow\"} 3",
            "controller_runtime_active_workers{controller=\"lolcow\"} 0",
            "controller_runtime_max_concurrent_reconciles{controller=\"lolcow\"} 2",
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
