//! Metrics of the operator for the plots of the page.

use std::collections::BTreeMap;

/// Metrics that the page plots, each with the short name of its sum over all labels.
const SHOWN: [(&str, &str); 9] = [
    ("workqueue_depth", "depth"),
    ("controller_runtime_reconcile_total", "reconciles"),
    ("controller_runtime_reconcile_errors_total", "errors"),
    ("controller_runtime_reconcile_time_seconds_sum", "seconds"),
    ("controller_runtime_reconcile_time_seconds_count", "timed"),
    ("controller_runtime_active_workers", "active"),
    ("process_resident_memory_bytes", "memory"),
    ("process_cpu_seconds_total", "cpu"),
    ("rest_client_requests_total", "requests"),
];

/// Metrics that are summed per webhook. The short name is followed by the webhook's path.
const OF_WEBHOOKS: [(&str, &str); 4] = [
    ("controller_runtime_webhook_requests_total", "calls"),
    ("webhook_refusals_total", "refused"),
    (
        "controller_runtime_webhook_latency_seconds_sum",
        "answering",
    ),
    (
        "controller_runtime_webhook_latency_seconds_count",
        "answered",
    ),
];

/// Parses the text of `/metrics` and returns the sums by short name.
pub fn read(text: &str) -> BTreeMap<String, f64> {
    let mut metrics = BTreeMap::new();
    for line in text.lines() {
        // A timestamp may follow the value, and labels may contain spaces.
        let rest = line.rsplit_once('}').map_or(line, |(_, rest)| rest);
        let value = rest.split(' ').find_map(|word| word.parse::<f64>().ok());
        if let (Some(metric), Some(value)) = (shown(line), value.filter(|value| value.is_finite()))
        {
            *metrics.entry(metric).or_insert(0.0) += value;
        }
    }
    metrics
}

/// Returns the short name of the sum to which a line contributes; `None` if the page does not show
/// the metric.
fn shown(line: &str) -> Option<String> {
    let name = line.split(['{', ' ']).next()?;
    let find = |all: &[(&'static str, &'static str)]| {
        let found = all.iter().find(|(metric, _)| *metric == name);
        found.map(|(_, short)| *short)
    };
    find(&SHOWN).map(str::to_owned).or_else(|| {
        let short = find(&OF_WEBHOOKS)?;
        let (_, path) = line.split_once("webhook=\"")?;
        Some(format!("{short} {}", path.split('"').next()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_summed_over_their_labels() {
        let text = "# TYPE workqueue_depth gauge\nworkqueue_depth{name=\"a b\",priority=\"0\"} 2\nworkqueue_depth{name=\"b\"} 3\nprocess_cpu_seconds_total 1.5\nother 7\nworkqueue_depth{name=\"c\"} NaN\n";
        let metrics = read(text);
        assert_eq!(metrics.len(), 2);
        assert!((metrics["depth"] - 5.0).abs() < 1e-9 && (metrics["cpu"] - 1.5).abs() < 1e-9);
    }

    #[test]
    fn webhooks_have_metrics_of_their_own() {
        let text = "controller_runtime_webhook_requests_total{webhook=\"/validate\",code=\"200\"} 2\ncontroller_runtime_webhook_requests_total{webhook=\"/validate\",code=\"500\"} 1\nwebhook_refusals_total{webhook=\"/mutate\"} 4\n";
        let expected = [("calls /validate", 3.0), ("refused /mutate", 4.0)];
        let expected = expected.map(|(metric, value)| (metric.to_owned(), value));
        assert_eq!(read(text), BTreeMap::from(expected));
    }
}
