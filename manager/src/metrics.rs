//! Helpers to register metrics. Each module has its own metrics and adds them to one registry.
//!
//! Metrics that controller-runtime also has use its names and labels, so that dashboards and alerts
//! for Go operators work. Labels have few values: names of controllers, results, and reasons, which
//! are words in the source code.

use prometheus_client::metrics::{TypedMetric, family::Family};
use prometheus_client::registry::{Metric, Registry};

/// Labels with their values.
pub(crate) type Labels<const N: usize> = [(&'static str, String); N];

/// Creates a metric, or a family of metrics, and registers it under this name.
pub(crate) fn register<M: Metric + Clone + Default>(
    registry: &mut Registry,
    name: &str,
    help: &str,
) -> M {
    let figure = M::default();
    registry.register(name, help, figure.clone());
    figure
}

/// A histogram that links its values to traces by the label `trace_id`, if the feature `otel` is
/// on.
#[cfg(feature = "otel")]
pub(crate) type Traceable = prometheus_client::metrics::exemplar::HistogramWithExemplars<Labels<1>>;
#[cfg(not(feature = "otel"))]
pub(crate) type Traceable = prometheus_client::metrics::histogram::Histogram;

/// Creates a histogram with these upper bounds of buckets.
pub(crate) fn traceable(buckets: impl Iterator<Item = f64>) -> Traceable {
    Traceable::new(buckets)
}

/// Creates a family of histograms, each of which `new` creates, and registers it under this name.
pub(crate) fn histograms<const N: usize, H: Metric + TypedMetric + Clone>(
    registry: &mut Registry,
    name: &str,
    help: &str,
    new: fn() -> H,
) -> Family<Labels<N>, H> {
    let figures = Family::new_with_constructor(new);
    registry.register(name, help, figures.clone());
    figures
}

/// Returns all metrics of a registry in the `OpenMetrics` format.
pub(crate) fn text(registry: &Registry) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = prometheus_client::encoding::text::encode(&mut text, registry);
    text
}
