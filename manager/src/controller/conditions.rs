//! The metric of objects by condition, counted from the caches at each scrape.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::{MetricType, gauge::ConstGauge};
use serde::{Deserialize, Serialize};

use crate::cache::Cache;
use crate::object::AnyObject;

/// The possible statuses of a condition.
const STATUSES: [&str; 3] = ["True", "False", "Unknown"];

/// The number of objects per condition type and status, in the order of [`STATUSES`].
type Tally = BTreeMap<String, [u32; STATUSES.len()]>;

/// Counts the conditions of a controller's objects.
pub(crate) type Count = Box<dyn Fn() -> Tally + Send + Sync>;

/// The counters of all controllers, with their names. Clones share their state.
#[derive(Clone, Default)]
pub(crate) struct Conditions(Arc<Mutex<Vec<(String, Count)>>>);

impl Conditions {
    /// Adds a controller. `count` is called at each scrape.
    pub fn add(&self, controller: &str, count: Count) {
        self.0.lock().push((controller.to_owned(), count));
    }
}

impl fmt::Debug for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Conditions")
    }
}

impl Collector for Conditions {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let name = "resource_conditions";
        let help = "Number of objects, by condition type and status";
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (controller, count) in self.0.lock().iter() {
            for (type_, counted) in count() {
                for (status, number) in STATUSES.iter().zip(counted) {
                    let (of, type_) = (controller.as_str(), type_.as_str());
                    let by = [("controller", of), ("type", type_), ("status", status)];
                    ConstGauge::new(number).encode(family.encode_family(&by)?)?;
                }
            }
        }
        Ok(())
    }
}

/// Returns a function that counts the conditions of the objects in a cache. If the cache has not
/// changed since the last call, the function returns the earlier result.
pub(crate) fn counter<K: AnyObject + Serialize>(cache: Arc<Cache<K>>) -> Count {
    let counted = Mutex::new((0, Tally::new())); // the revision of an empty cache
    Box::new(move || {
        let (mut counted, revision) = (counted.lock(), cache.revision());
        if counted.0 != revision {
            *counted = (revision, count(&cache));
        }
        counted.1.clone()
    })
}

fn count<K: AnyObject + Serialize>(cache: &Cache<K>) -> Tally {
    let mut tally = Tally::new();
    for text in cache.texts() {
        let seen: SeenConditions = serde_json::from_str(&text).unwrap_or_default();
        for Condition { type_, status } in seen.status.unwrap_or_default().conditions {
            if let Some(at) = STATUSES.iter().position(|known| *known == status) {
                tally.entry(type_).or_default()[at] += 1;
            }
        }
    }
    tally
}

/// The part of an object that contains its conditions.
#[derive(Default, Deserialize)]
struct SeenConditions {
    status: Option<Status>,
}

#[derive(Default, Deserialize)]
struct Status {
    #[serde(default)]
    conditions: Vec<Condition>,
}

#[derive(Deserialize)]
struct Condition {
    #[serde(rename = "type")]
    type_: String,
    status: String,
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::Deployment;
    use prometheus_client::registry::Registry;
    use serde_json::{Value, json};

    use super::*;
    use crate::cache::{list_or_watch::ListOrWatch, selection::Watch};
    use crate::metrics::text;

    fn deployment(name: &str, conditions: &Value) -> Deployment {
        serde_json::from_value(json!({
            "metadata": { "name": name, "namespace": "ns", "uid": name, "resourceVersion": "1" },
            "status": { "conditions": conditions },
        }))
        .unwrap()
    }

    #[test]
    fn objects_are_counted_by_their_current_conditions() {
        let cache = Cache::new((), "op", Watch::default(), [None]);
        let says = |type_, status| json!({ "type": type_, "status": status });
        let known = |name: &str, conditions: Value| {
            drop(cache.offer(
                deployment(name, &conditions).into(),
                ListOrWatch::Watch(&None),
            ));
        };
        known(
            "a",
            json!([says("Available", "True"), says("Progressing", "Unknown")]),
        );
        known("b", json!([says("Available", "True")]));
        known("silent", Value::Null);
        known("odd", json!([says("Available", "Perhaps")]));

        let mut registry = Registry::default();
        let conditions = Conditions::default();
        registry.register_collector(Box::new(conditions.clone()));
        conditions.add("web", counter(cache.clone()));
        let line = |type_: &str, status: &str, number: u32| {
            format!(
                "resource_conditions{{controller=\"web\",type=\"{type_}\",status=\"{status}\"}} {number}\n"
            )
        };
        let expected = |available: u32| {
            [
                line("Available", "True", available),
                line("Available", "False", 0),
                line("Available", "Unknown", 0),
                line("Progressing", "True", 0),
                line("Progressing", "False", 0),
                line("Progressing", "Unknown", 1),
            ]
        };
        let shown = || text(&registry);
        assert!(shown().contains(&expected(2).concat()), "{}", shown());

        // The result is the same if the cache holds decoded objects.
        let _ = cache.reader();
        assert!(shown().contains(&expected(2).concat()), "{}", shown());
        let gone = deployment("b", &Value::Null).metadata;
        let _ = cache.remove(&gone, ListOrWatch::Watch(&None));
        assert!(shown().contains(&expected(1).concat()), "{}", shown());
    }
}
