//! Retries: the time after which an operator sends a failed request again.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::torture::api::call::{Resource, Verb};
use crate::torture::journal::{JournalEntry, JournalEvent, RecordedRequest};

/// A request within this time after a watch event or a failure is no retry by a timer: the event
/// caused it, or the client library repeats requests by itself.
const AT_ONCE: Duration = Duration::from_secs(1);

/// The verb, the resource, the subresource and the name of a request.
type Key = (Verb, Resource, String, String);

/// The failed writes of a journal, and the retries that followed them.
#[derive(Debug, Default)]
pub struct Retries {
    /// The times between a failed write and the same write by a timer, in the order of the retries.
    pub intervals: Vec<Duration>,
    /// True if the last try of any write failed, and neither a step of the scenario nor a restart
    /// has made the operator reconcile since then.
    pub is_pending: bool,
}

impl Retries {
    /// Returns the retries that entries show.
    pub fn of(entries: &[JournalEntry]) -> Self {
        let mut retries = Self::default();
        let mut failed: BTreeMap<Key, Duration> = BTreeMap::new();
        let mut last_event = None;
        for entry in entries {
            match &entry.event {
                JournalEvent::Step(_) | JournalEvent::Operator(_) => failed.clear(),
                JournalEvent::WatchEvent { .. } => last_event = Some(entry.at),
                JournalEvent::Request(request) if request.call.is_work() => {
                    let key = key(request);
                    let is_caused = last_event.is_some_and(|at| entry.at < at + AT_ONCE);
                    let since = failed.remove(&key).map(|at| entry.at.saturating_sub(at));
                    let interval = since.filter(|since| *since > AT_ONCE && !is_caused);
                    retries.intervals.extend(interval);
                    if has_failed(request) {
                        failed.insert(key, entry.at);
                    }
                }
                JournalEvent::Fault(_) | JournalEvent::Request(_) => {}
            }
        }
        retries.is_pending = !failed.is_empty();
        retries
    }
}

fn key(request: &RecordedRequest) -> Key {
    let call = &request.call;
    let (resource, subresource) = (call.resource.clone(), call.subresource.clone());
    (call.verb, resource, subresource, request.name())
}

/// Reports whether a write failed. The absence of an object is what a deletion wants.
fn has_failed(request: &RecordedRequest) -> bool {
    request.status >= 400 && request.status != 404
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::torture::api::call::ApiCall;

    fn at(seconds: u64, event: JournalEvent) -> JournalEntry {
        JournalEntry {
            at: Duration::from_secs(seconds),
            step: 0,
            event,
        }
    }

    fn patch(name: &str, status: u16) -> JournalEvent {
        let path = format!("/api/v1/namespaces/t/configmaps/{name}");
        let call = ApiCall::parse("PATCH", &path).unwrap();
        JournalEvent::Request(Box::new(RecordedRequest {
            status,
            ..RecordedRequest::new(call, json!({}))
        }))
    }

    fn watch_event() -> JournalEvent {
        JournalEvent::WatchEvent {
            resource: "configmaps".into(),
            change: "MODIFIED".into(),
            name: "moo".into(),
        }
    }

    #[test]
    fn a_failed_write_and_the_same_write_later_show_the_interval() {
        let shows = |between: Option<JournalEntry>, again: JournalEntry| {
            let entries = [at(1, patch("moo", 500))];
            let entries = entries.into_iter().chain(between).chain([again]);
            let retries = Retries::of(&entries.collect::<Vec<_>>());
            let seconds = retries.intervals.first().map(Duration::as_secs);
            (seconds, retries.is_pending)
        };
        assert_eq!(shows(None, at(31, patch("moo", 200))), (Some(30), false));
        assert_eq!(shows(None, at(31, patch("moo", 403))), (Some(30), true));
        assert_eq!(
            shows(None, at(31, patch("calf", 200))),
            (None, true),
            "another write"
        );
        assert_eq!(
            shows(Some(at(9, watch_event())), at(31, patch("moo", 200))),
            (Some(30), false)
        );
        for (cause, what) in [
            (at(31, watch_event()), "a watch event causes it"),
            (
                at(30, JournalEvent::Step("the user".into())),
                "a step causes it",
            ),
            (
                at(30, JournalEvent::Operator("started".into())),
                "a restart causes it",
            ),
        ] {
            let found = shows(Some(cause), at(31, patch("moo", 200)));
            assert_eq!(found, (None, false), "{what}");
        }
        assert_eq!(
            shows(None, at(1, patch("moo", 200))),
            (None, false),
            "the client library repeats it"
        );
    }

    #[test]
    fn each_retry_has_an_interval() {
        let failures = [1, 5, 9, 17].map(|second| at(second, patch("moo", 409)));
        let intervals = Retries::of(&failures).intervals;
        assert_eq!(intervals, [4, 4, 8].map(Duration::from_secs));
    }
}
