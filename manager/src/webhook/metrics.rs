//! Metrics of the webhooks, by path, with the metric names of controller-runtime.

use std::time::Instant;

use http::StatusCode;
use prometheus_client::{
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};

use crate::metrics::{Labels, histograms, register};

/// Histogram buckets, from 0.5 ms to 30 s, the longest timeout of a webhook.
const SECONDS: [f64; 12] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 10.0, 30.0,
];

/// The metrics of all webhooks.
#[derive(Clone)]
pub(crate) struct WebhookMetrics {
    /// By path and HTTP status code. A denied request has status code 200: the denial is in the
    /// body.
    requests: Family<Labels<2>, Counter>,
    refusals: Family<Labels<1>, Counter>,
    /// Counts all webhooks together, as in controller-runtime.
    panics: Counter,
    seconds: Family<Labels<1>, Histogram>,
    active: Family<Labels<1>, Gauge>,
}

impl WebhookMetrics {
    pub fn register(registry: &mut Registry) -> Self {
        let help = "Number of requests that a webhook denied or failed to decide";
        let refusals = register(registry, "webhook_refusals", help);
        let registry = registry.sub_registry_with_prefix("controller_runtime_webhook");
        let help = "Number of reviews, by HTTP status code of the response";
        let requests = register(registry, "requests", help);
        let (name, help) = (
            "latency_seconds",
            "Time in seconds until a webhook responded",
        );
        Self {
            requests,
            refusals,
            panics: register(registry, "panics", "Number of webhook calls that panicked"),
            seconds: histograms(registry, name, help, || Histogram::new(SECONDS)),
            active: register(
                registry,
                "requests_in_flight",
                "Number of reviews that are being processed",
            ),
        }
    }

    /// Returns the metrics of the webhook at `path`, which becomes the label `webhook`.
    pub(super) fn of(&self, path: &str) -> WebhookFigures {
        let by = [("webhook", path.to_owned())];
        // All series start at 0. Prometheus cannot see the first increment of a series that did not
        // exist before.
        self.active.get_or_create(&by).set(0);
        let _ = self.seconds.get_or_create(&by);
        let _ = self.refusals.get_or_create(&by);
        for code in ["200", "500"] {
            let [webhook] = by.clone();
            let by = [webhook, ("code", code.to_owned())];
            let _ = self.requests.get_or_create(&by);
        }
        WebhookFigures {
            all: self.clone(),
            by,
        }
    }
}

/// The metrics of one webhook.
pub(super) struct WebhookFigures {
    all: WebhookMetrics,
    by: Labels<1>,
}

impl WebhookFigures {
    /// Counts a review as in flight until the returned value is dropped.
    pub fn start(&self) -> RunningReview<'_> {
        self.all.active.get_or_create(&self.by).inc();
        RunningReview {
            of: self,
            start: Instant::now(),
        }
    }

    /// Counts a request that the webhook denied, or on which it did not decide because it failed,
    /// panicked or timed out.
    pub fn refused(&self) {
        self.all.refusals.get_or_create(&self.by).inc();
    }

    /// Counts a panic of the webhook.
    pub fn panicked(&self) {
        self.all.panics.inc();
    }
}

/// A review in flight. When this is dropped, the review is no longer counted as in flight, and its
/// duration is added to the histogram.
pub(super) struct RunningReview<'a> {
    of: &'a WebhookFigures,
    start: Instant,
}

impl RunningReview<'_> {
    /// Counts the review with the HTTP status of its response.
    pub fn answered(self, status: StatusCode) {
        let [webhook] = self.of.by.clone();
        let by = [webhook, ("code", status.as_str().to_owned())];
        self.of.all.requests.get_or_create(&by).inc();
    }
}

impl Drop for RunningReview<'_> {
    fn drop(&mut self) {
        let WebhookFigures { all, by } = self.of;
        all.active.get_or_create(by).dec();
        let seconds = self.start.elapsed().as_secs_f64();
        all.seconds.get_or_create(by).observe(seconds);
    }
}
