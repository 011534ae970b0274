//! The metrics of the queues, with the names, labels and buckets of controller-runtime's workqueue.
//! Each controller has one queue, which has the controller's name.

use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use crate::context::cause::Priority;
use crate::controller::running_reconciles::RunningReconciles;
use crate::metrics::{Labels, histograms, register};

/// A gauge of a time in seconds.
type Seconds = Gauge<f64, AtomicU64>;

/// The queue metrics of all controllers.
pub(crate) struct Workqueues {
    depth: Family<Labels<3>, Gauge>,
    adds: Family<Labels<2>, Counter>,
    retries: Family<Labels<2>, Counter>,
    queue: Family<Labels<2>, Histogram>,
    work: Family<Labels<2>, Histogram>,
    unfinished: Family<Labels<2>, Seconds>,
    longest: Family<Labels<2>, Seconds>,
}

/// The metrics of one queue.
pub(crate) struct QueueMetrics {
    /// Number of ready objects, indexed by `Priority`.
    pub depth: [Gauge; Priority::ALL.len()],
    /// Number of times that an object became ready.
    pub adds: Counter,
    /// Number of times that an object was queued with a delay.
    pub retries: Counter,
    /// Times in seconds from when an object was ready until it was taken.
    pub seconds: Histogram,
}

impl Workqueues {
    /// Creates the metrics and adds them to a registry, with the prefix `workqueue`.
    pub fn register(registry: &mut Registry) -> Self {
        let registry = registry.sub_registry_with_prefix("workqueue");
        let seconds = || Histogram::new(exponential_buckets(1e-8, 10.0, 12));
        let help = "Time in seconds that objects waited in the queue";
        let queue = histograms(registry, "queue_duration_seconds", help, seconds);
        let help = "Time in seconds that processing an object took";
        let work = histograms(registry, "work_duration_seconds", help, seconds);
        let help = "Number of objects queued again with a delay, after a failure or on request";
        let retries = register(registry, "retries", help);
        let help = "Total running time in seconds of all reconciles that are running";
        let unfinished = register(registry, "unfinished_work_seconds", help);
        let help = "Running time in seconds of the oldest reconcile that is running";
        let longest = register(registry, "longest_running_processor_seconds", help);
        let help = "Number of objects in the queue, by priority";
        Self {
            depth: register(registry, "depth", help),
            adds: register(registry, "adds", "Number of objects added to the queue"),
            retries,
            queue,
            work,
            unfinished,
            longest,
        }
    }

    /// Returns the metrics of a controller's queue, and creates them with the value 0.
    pub fn of(&self, controller: &str) -> QueueMetrics {
        let by = by(controller);
        let depth = Priority::ALL.map(|priority| {
            let [controller, name] = by.clone();
            let priority = ("priority", priority.number().to_string());
            self.depth
                .get_or_create_owned(&[controller, name, priority])
        });
        QueueMetrics {
            depth,
            adds: self.adds.get_or_create_owned(&by),
            retries: self.retries.get_or_create_owned(&by),
            seconds: self.queue.get_or_create_owned(&by),
        }
    }

    /// Returns the histogram of a controller's reconcile durations, in seconds.
    pub fn work(&self, controller: &str) -> Histogram {
        self.work.get_or_create_owned(&by(controller))
    }

    /// Updates the gauges of a controller's running reconciles to their current ages.
    pub fn update_ages(&self, running: &RunningReconciles) {
        let by = by(running.controller());
        let (longest, all) = running.ages();
        self.longest.get_or_create(&by).set(longest.as_secs_f64());
        self.unfinished.get_or_create(&by).set(all.as_secs_f64());
    }
}

/// Returns the labels of a queue. controller-runtime sets both to the name of the controller.
fn by(controller: &str) -> Labels<2> {
    [
        ("controller", controller.to_owned()),
        ("name", controller.to_owned()),
    ]
}
