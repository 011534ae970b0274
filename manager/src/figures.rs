//! What each room measures with. The rooms have figures of their own, and add them to one registry.
//!
//! Where controller-runtime has a figure, this one has its name and its labels, so that dashboards
//! and alerts made for Go operators work. Labels take few values: names of controllers, results,
//! reasons that are words in the source code.

use prometheus_client::metrics::{family::Family, histogram::Histogram};
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

/// The same of histograms.
pub(crate) fn histograms<const N: usize>(
    registry: &mut Registry,
    name: &str,
    help: &str,
    new: fn() -> Histogram,
) -> Family<Labels<N>, Histogram> {
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
