//! What each room measures with. The rooms have figures of their own, and add them to one registry.
//!
//! Where controller-runtime has a figure, this one has its name and its labels, so that dashboards
//! and alerts made for Go operators work. Labels take few values: names of controllers, results,
//! reasons that are words in the source code.

use prometheus_client::metrics::{TypedMetric, family::Family};
use prometheus_client::registry::{Metric, Registry};

/// Labels and their values.
pub(crate) type Labels<const N: usize> = [(&'static str, String); N];

/// A figure, or a family of them, that `registry` shows under this name.
pub(crate) fn shown<M: Metric + Clone + Default>(
    registry: &mut Registry,
    name: &str,
    help: &str,
) -> M {
    let figure = M::default();
    registry.register(name, help, figure.clone());
    figure
}

/// A histogram that names traces, where there are any.
#[cfg(feature = "otel")]
pub(crate) type Traceable = prometheus_client::metrics::exemplar::HistogramWithExemplars<Labels<1>>;
#[cfg(not(feature = "otel"))]
pub(crate) type Traceable = prometheus_client::metrics::histogram::Histogram;

/// One with these buckets.
pub(crate) fn traceable(buckets: impl Iterator<Item = f64>) -> Traceable {
    Traceable::new(buckets)
}

/// The same of histograms.
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

/// All that a registry shows, in the `OpenMetrics` format.
pub(crate) fn text(registry: &Registry) -> String {
    let mut text = String::new();
    // writing to a string does not fail
    let _ = prometheus_client::encoding::text::encode(&mut text, registry);
    text
}
