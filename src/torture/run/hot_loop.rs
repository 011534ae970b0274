//! Detection of hot loops: an operator writes the same object again and again without backoff.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::torture::journal::{JournalEntry, JournalEvent};

/// The number of writes to the same object within [`LATELY`] that counts as a hot loop.
const OFTEN: usize = 5;
const LATELY: Duration = Duration::from_secs(4);
/// The time after which exponential backoff has reduced retries to less than [`OFTEN`].
const BACKS_OFF: Duration = Duration::from_secs(5);

/// The writes of one kind to one object in a step.
#[derive(Default)]
struct Writes {
    /// The time of the first write, since the run began.
    first: Duration,
    /// The number of writes within [`LATELY`].
    lately: usize,
    /// The resource versions of the object after the writes.
    versions: BTreeSet<String>,
}

/// Detects a hot loop in the current step: at least five writes of one verb to the same object
/// within the last 4 s. Returns the verb and the object, such as `patch configmaps moo`, and the
/// number of these writes in these 4 s. If there are several, returns those with the most different
/// resource versions. `now` is the time since the run began.
///
/// Retries with exponential backoff are that frequent at first, so the first of the writes must
/// also be 5 s old, unless the operator `is_known` for a hot loop.
pub fn most_written(
    entries: &[JournalEntry],
    now: Duration,
    is_known: bool,
) -> Option<(String, usize)> {
    let step = entries.last()?.step;
    let mut writes: BTreeMap<String, Writes> = BTreeMap::new();
    for entry in entries.iter().rev().take_while(|entry| entry.step == step) {
        if let JournalEvent::Request(request) = &entry.event
            && request.call.is_work()
        {
            let mut call = request.call.clone();
            call.name = Some(request.name());
            let like = writes.entry(call.to_string()).or_default();
            like.first = entry.at;
            if entry.at + LATELY > now {
                let version = &request.answer["metadata"]["resourceVersion"];
                like.versions.extend(version.as_str().map(str::to_owned));
                like.lately += 1;
            }
        }
    }
    let often = writes.into_iter().filter(|(_, like)| like.lately >= OFTEN);
    // A write that changes the object each time causes the writes that change nothing.
    let (call, most) = often.max_by_key(|(_, like)| (like.versions.len(), like.lately))?;
    (is_known || most.first + BACKS_OFF < now).then_some((call, most.lately))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::torture::api::call::ApiCall;
    use crate::torture::journal::RecordedRequest;

    /// Returns a write of that kind with the response of the API server.
    fn write(kind: &str, at: u64, (status, answer): (u16, Value)) -> JournalEntry {
        let path = format!("/api/v1/namespaces/t/{kind}");
        JournalEntry {
            at: Duration::from_millis(at),
            step: 1,
            event: JournalEvent::Request(Box::new(RecordedRequest {
                status,
                answer,
                ..RecordedRequest::new(
                    ApiCall::parse("POST", &path).unwrap(),
                    json!({"metadata": {"name": "moo"}}),
                )
            })),
        }
    }

    fn hot_loop_count(at: &[u64], now: u64) -> Option<usize> {
        let refused = at
            .iter()
            .map(|at| write("services", *at, (422, Value::Null)));
        let entries: Vec<_> = refused.collect();
        most_written(&entries, Duration::from_millis(now), false).map(|(_, count)| count)
    }

    #[test]
    fn the_changing_object_of_a_hot_loop_is_named() {
        let answer = |version: u64| {
            let version = version.to_string();
            (200, json!({"metadata": {"resourceVersion": version}}))
        };
        let mut entries = Vec::new();
        for round in 0..20 {
            let at = 3_000 + 500 * round;
            entries.push(write("configmaps", at, answer(1)));
            if round > 0 {
                entries.push(write("services", at + 10, answer(at)));
            }
            let named = most_written(&entries, Duration::from_millis(at + 20), false);
            let named = named.map(|(call, _)| call);
            let expected = (round > 10).then(|| "create services moo".to_owned());
            assert_eq!(named, expected, "round {round}");
        }
    }

    #[test]
    fn growing_delays_are_not_a_hot_loop() {
        let mut at = vec![3_000];
        at.extend((0..12).map(|n| 3_000 + 5 * ((1 << (n + 1)) - 1)));
        for now in (3_000..20_000).step_by(100) {
            let so_far = at.iter().filter(|at| **at <= now).copied();
            assert_eq!(
                hot_loop_count(&so_far.collect::<Vec<_>>(), now),
                None,
                "at {now}"
            );
        }
        let steady: Vec<_> = (0..16).map(|n| 3_000 + 500 * n).collect();
        assert_eq!(
            hot_loop_count(&steady[..8], 6_600),
            None,
            "it may wait longer yet"
        );
        assert_eq!(hot_loop_count(&steady, 10_600), Some(8));
    }
}
