//! Writes by their place: the same one in each run of a scenario.

use std::collections::BTreeMap;

use super::call::{Call, Verb};
use super::fault::Point;
use super::journal::{self, Entry, Request};

/// Counts writes, so that each is known by its place.
#[derive(Debug, Default)]
pub struct Counter {
    seen: BTreeMap<Point, usize>,
    /// What the API server called objects, and what their names begin with.
    generated: BTreeMap<String, String>,
}

impl Counter {
    /// The place of a write.
    pub fn point(&mut self, step: usize, request: &Request, namespace: &str) -> Point {
        let name = request.name();
        let name = self.generated.get(&name).cloned().unwrap_or(name);
        let Call {
            verb,
            resource,
            subresource,
            ..
        } = request.call.clone();
        let mut point = Point {
            step,
            verb,
            resource,
            subresource,
            name: name.replace(namespace, "NAMESPACE"),
            occurrence: 0,
        };
        let seen = self.seen.entry(point.clone()).or_default();
        point.occurrence = *seen;
        *seen += 1;
        point
    }

    /// Learns the name that the API server gave.
    pub fn learn(&mut self, request: &Request) {
        let of_answer = |key: &str| request.answer["metadata"][key].as_str().map(str::to_owned);
        if request.call.verb == Verb::Create
            && let (Some(prefix), Some(name)) = (of_answer("generateName"), of_answer("name"))
        {
            self.generated.insert(name, format!("{prefix}*"));
        }
    }
}

/// The writes of a run that did something.
pub fn points(entries: &[Entry], namespace: &str) -> Vec<(Point, bool)> {
    let mut counter = Counter::default();
    let mut points = Vec::new();
    for (step, request) in journal::requests(entries).filter(|(_, r)| r.call.is_work()) {
        let point = counter.point(step, request, namespace);
        counter.learn(request);
        if request.succeeded() {
            // Of what was made by this very write nothing can have changed before.
            let existed = request.status != 201;
            points.push((point, existed));
        }
    }
    points
}
