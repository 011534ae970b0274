//! Keywords of Kubernetes' own in a schema, and how what stands behind them is told.

/// The keyword of the CEL rules.
pub const VALIDATIONS: &str = "x-kubernetes-validations";
/// The keyword of the keys of a list that is merged as a map.
pub const LIST_KEYS: &str = "x-kubernetes-list-map-keys";

/// A rule as part of a message.
pub fn one_line(rule: &str) -> String {
    rule.split_whitespace().collect::<Vec<_>>().join(" ")
}
