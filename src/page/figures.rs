//! Figures of the operator, as its metrics show them.

use std::collections::BTreeMap;

/// What the page has plots of: the name of a figure, and of its sum over all labels.
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

/// The sums of what is shown, out of the text of `/metrics`.
pub fn read(text: &str) -> BTreeMap<String, f64> {
    let mut figures = BTreeMap::new();
    for line in text.lines() {
        let name = line.split(['{', ' ']).next().unwrap_or_default();
        let shown = SHOWN.iter().find(|(figure, _)| *figure == name);
        // A time may follow the value, but labels may hold a space.
        let rest = line.rsplit_once('}').map_or(line, |(_, rest)| rest);
        let value = rest.split(' ').find_map(|word| word.parse::<f64>().ok());
        if let (Some((_, short)), Some(value)) = (shown, value.filter(|value| value.is_finite())) {
            *figures.entry((*short).to_owned()).or_insert(0.0) += value;
        }
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_summed_over_their_labels() {
        let text = "# TYPE workqueue_depth gauge\nworkqueue_depth{name=\"a b\",priority=\"0\"} 2\nworkqueue_depth{name=\"b\"} 3\nprocess_cpu_seconds_total 1.5\nother 7\nworkqueue_depth{name=\"c\"} NaN\n";
        let figures = read(text);
        assert_eq!(figures.len(), 2);
        assert!((figures["depth"] - 5.0).abs() < 1e-9 && (figures["cpu"] - 1.5).abs() < 1e-9);
    }
}
