//! The figures of the queues, with the names, labels and buckets that they have in controller-runtime, where a
//! controller has a queue of its name.

use std::sync::atomic::AtomicU64;

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};

use crate::controller::{cause::Priority, under_way::UnderWay};

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ByQueue {
    controller: String,
    name: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ByPriority {
    controller: String,
    name: String,
    priority: i32,
}

type Seconds = Gauge<f64, AtomicU64>;

/// Those of all controllers.
pub(crate) struct Workqueues {
    depth: Family<ByPriority, Gauge>,
    adds: Family<ByQueue, Counter>,
    retries: Family<ByQueue, Counter>,
    queue: Family<ByQueue, Histogram>,
    work: Family<ByQueue, Histogram>,
    unfinished: Family<ByQueue, Seconds>,
    longest: Family<ByQueue, Seconds>,
}

/// Those of one.
pub(crate) struct QueueMetrics {
    /// By priority.
    pub depth: [Gauge; Priority::ALL.len()],
    pub adds: Counter,
    pub retries: Counter,
    /// How long each waited.
    pub seconds: Histogram,
}

impl Workqueues {
    pub fn register(registry: &mut Registry) -> Self {
        let seconds = || Histogram::new(exponential_buckets(1e-8, 10.0, 12));
        let queues = Self {
            depth: Family::default(),
            adds: Family::default(),
            retries: Family::default(),
            queue: Family::new_with_constructor(seconds),
            work: Family::new_with_constructor(seconds),
            unfinished: Family::default(),
            longest: Family::default(),
        };
        let figures = registry.sub_registry_with_prefix("workqueue");
        let depth = "Objects whose turn may come, by priority";
        figures.register("depth", depth, queues.depth.clone());
        let adds = "Objects whose turn could come";
        figures.register("adds", adds, queues.adds.clone());
        let retries = "Objects that were put off: failures, and times that a reconcile asked for";
        figures.register("retries", retries, queues.retries.clone());
        let queue = "How long objects waited for their turn";
        figures.register("queue_duration_seconds", queue, queues.queue.clone());
        let work = "How long their turns took";
        figures.register("work_duration_seconds", work, queues.work.clone());
        let unfinished = "For how long all reconciles together have been under way";
        figures.register(
            "unfinished_work_seconds",
            unfinished,
            queues.unfinished.clone(),
        );
        let longest = "For how long the oldest reconcile has been under way";
        figures.register(
            "longest_running_processor_seconds",
            longest,
            queues.longest.clone(),
        );
        queues
    }

    pub fn of(&self, controller: &str) -> QueueMetrics {
        let by = by(controller);
        let depth = Priority::ALL.map(|priority| {
            let of_priority = ByPriority {
                controller: by.controller.clone(),
                name: by.name.clone(),
                priority: priority.number(),
            };
            self.depth.get_or_create_owned(&of_priority)
        });
        QueueMetrics {
            depth,
            adds: self.adds.get_or_create_owned(&by),
            retries: self.retries.get_or_create_owned(&by),
            seconds: self.queue.get_or_create_owned(&by),
        }
    }

    /// How long turns took.
    pub fn work(&self, controller: &str) -> Histogram {
        self.work.get_or_create_owned(&by(controller))
    }

    /// Looks at what is under way.
    pub fn look(&self, under_way: &UnderWay) {
        let by = by(under_way.controller());
        let (longest, all) = under_way.ages();
        self.longest.get_or_create(&by).set(longest.as_secs_f64());
        self.unfinished.get_or_create(&by).set(all.as_secs_f64());
    }
}

fn by(controller: &str) -> ByQueue {
    ByQueue {
        controller: controller.to_owned(),
        name: controller.to_owned(),
    }
}
