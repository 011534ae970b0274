//! Aggregates and limits events by the rules of client-go's event correlator, to spare the API
//! server.
//!
//! Per object, 25 events are sent at once, then one every five minutes. A repeated event increases
//! a count instead of creating another event. Of events that differ only in their note, ten are
//! created within ten minutes; the others are counted in one more event.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::ObjectReference;
use kube::runtime::events::EventType;
use tokio::time::Instant;

use crate::clock;
use crate::hash::HashMap;
use crate::rate_limits::RateLimits;

/// This many events of one object may be sent at once, then one per interval `EVERY`.
const BURST: u32 = 25;
const EVERY: Duration = Duration::from_secs(300);
/// Maximum number of events that differ only in their note, within `INTERVAL`.
const SIMILAR: usize = 10;
const INTERVAL: Duration = Duration::from_secs(600);
const COMBINED: &str = "(combined from similar events): ";
/// Maximum number of families that are remembered. If all of them are recent, all are forgotten.
const MOST_KNOWN: usize = 4096;
/// Maximum length of a name in Kubernetes.
const LONGEST_NAME: usize = 253;
/// The API server rejects longer notes.
const LONGEST_NOTE: usize = 1024;

/// An event that a reconcile has published, before aggregation.
#[derive(Clone, Debug)]
pub(crate) struct PendingEvent {
    /// The object.
    pub about: ObjectReference,
    pub type_: EventType,
    /// A word in `PascalCase`, such as `Created`.
    pub reason: String,
    /// A sentence, of any length.
    pub note: String,
}

/// An event after aggregation, as it is sent to the API server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CorrelatedEvent {
    /// The name of the event object.
    pub name: String,
    /// A sentence of at most `LONGEST_NOTE` bytes.
    pub note: String,
    /// Number of occurrences. Above 1, the event object exists already, unless it has expired or
    /// the rate limit kept it from being created.
    pub count: i32,
}

/// The key of events that differ only in their note: the object, true for a warning, and the
/// reason.
type Family = (String, bool, String);

/// The events of a family. The last one after `SIMILAR` others counts all further events.
#[derive(Default)]
struct Sent {
    /// The time of the last event; `None` before the first one.
    last: Option<Instant>,
    events: Vec<Event>,
}

struct Event {
    report: CorrelatedEvent,
    /// The time of the first occurrence.
    since: Instant,
}

/// The rate limits and the recently sent events of all objects, in memory.
pub(crate) struct Correlator {
    limits: RateLimits<String>,
    sent: HashMap<Family, Sent>,
}

impl Correlator {
    /// Creates a correlator that knows no events.
    pub fn new() -> Self {
        Self {
            limits: RateLimits::new(BURST, EVERY),
            sent: HashMap::default(),
        }
    }

    /// Counts an event and returns what to send: a new event, or an existing one with a higher
    /// count. `None` if the rate limit of the object is reached.
    pub fn correlate(&mut self, event: &PendingEvent, now: Instant) -> Option<CorrelatedEvent> {
        let about = key(&event.about);
        self.make_room(now);
        let is_warning = matches!(event.type_, EventType::Warning);
        let family = (about.clone(), is_warning, event.reason.clone());
        let report = self.sent.entry(family).or_default().count(event, now);
        self.limits.take(about, now).ok()?;
        Some(report)
    }

    /// Forgets the families without a recent event if there are too many.
    fn make_room(&mut self, now: Instant) {
        if self.sent.len() >= MOST_KNOWN {
            self.sent.retain(|_, sent| sent.is_recent(now));
        }
        if self.sent.len() >= MOST_KNOWN {
            self.sent.clear();
        }
    }
}

impl Sent {
    fn is_recent(&self, now: Instant) -> bool {
        self.last
            .is_some_and(|last| now.duration_since(last) < INTERVAL)
    }

    /// Adds an event to its family, or counts it if it is known. Returns the resulting event.
    fn count(&mut self, event: &PendingEvent, now: Instant) -> CorrelatedEvent {
        if !self.is_recent(now) {
            self.events.clear();
        }
        self.last = Some(now);
        let note = shorten(&event.note, LONGEST_NOTE);
        // The note of an event cannot be changed, and the combined event should have a recent note.
        let combined = self.events.get(SIMILAR);
        if combined.is_some_and(|combined| now.duration_since(combined.since) >= INTERVAL) {
            self.events.pop();
        }
        let mut own = self.events.iter().take(SIMILAR);
        let known = own.position(|event| event.report.note == note);
        if let Some(event) = self.events.get_mut(known.unwrap_or(SIMILAR)) {
            event.report.count += 1;
            return event.report.clone();
        }
        let note = match self.events.len() {
            SIMILAR => shorten(&format!("{COMBINED}{note}"), LONGEST_NOTE),
            _ => note,
        };
        let report = CorrelatedEvent {
            name: name(&event.about, clock::now()),
            note,
            count: 1,
        };
        self.events.push(Event {
            report: report.clone(),
            since: now,
        });
        report
    }
}

/// Returns a text that identifies an object.
fn key(about: &ObjectReference) -> String {
    let parts = [
        &about.api_version,
        &about.kind,
        &about.namespace,
        &about.name,
        &about.uid,
    ];
    let parts = parts.map(|part| part.as_deref().unwrap_or_default());
    parts.join("/")
}

/// Returns the name of an event: the object's name, as far as it is allowed in the name of an
/// event, and the time.
fn name(about: &ObjectReference, now: Timestamp) -> String {
    let time = format!(".{:x}", now.as_nanosecond());
    let name = about.name.as_deref().unwrap_or_default();
    let allowed = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-' | '.');
    let name = if name.is_empty() || !name.chars().all(allowed) {
        about.kind.as_deref().unwrap_or("event").to_lowercase()
    } else {
        name.to_owned()
    };
    let end = name.len().min(LONGEST_NAME - time.len());
    let stem = name[..end].trim_end_matches(['-', '.']);
    format!("{stem}{time}")
}

/// Shortens a text to at most `bytes` bytes, between characters, with an ellipsis.
pub(crate) fn shorten(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = (0..=bytes - '…'.len_utf8())
        .rev()
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(0);
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(object: &str, note: &str) -> PendingEvent {
        PendingEvent {
            about: ObjectReference {
                kind: Some("Cow".to_owned()),
                name: Some(object.to_owned()),
                ..ObjectReference::default()
            },
            type_: EventType::Warning,
            reason: "Mad".to_owned(),
            note: note.to_owned(),
        }
    }

    #[test]
    fn repeated_events_increase_the_count() {
        let (mut correlator, start) = (Correlator::new(), Instant::now());
        let first = correlator.correlate(&event("a", "it is"), start).unwrap();
        assert_eq!((first.count, first.note.as_str()), (1, "it is"));
        let again = correlator.correlate(&event("a", "it is"), start).unwrap();
        assert_eq!((again.count, &again.name), (2, &first.name));
        let other = correlator.correlate(&event("a", "really"), start).unwrap();
        assert_eq!(
            (other.count, other.note.as_str()),
            (1, "really"),
            "the note is the newest"
        );
        let later = start + INTERVAL;
        let new = correlator.correlate(&event("a", "it is"), later).unwrap();
        assert_eq!(new.count, 1);
    }

    #[test]
    fn notes_that_vary_are_combined() {
        let (mut correlator, start) = (Correlator::new(), Instant::now());
        let mut report =
            |number| correlator.correlate(&event("a", &format!("try {number}")), start);
        for number in 0..SIMILAR {
            assert_eq!(report(number).unwrap().count, 1);
        }
        let combined = report(10).unwrap();
        assert_eq!(combined.note, "(combined from similar events): try 10");
        assert_eq!(combined.count, 1);
        let next = report(11).unwrap();
        assert_eq!((next.count, &next.name), (2, &combined.name));
        let again = report(3).unwrap();
        assert_eq!((again.count, again.note.as_str()), (2, "try 3"));
        let half = INTERVAL / 2;
        let mut later = |after| correlator.correlate(&event("a", "still"), start + after);
        assert_eq!(later(half).unwrap().name, combined.name);
        let restarted = later(2 * half).unwrap();
        assert_eq!(restarted.note, "(combined from similar events): still");
        assert_eq!(restarted.count, 1, "its note is never older than that");
    }

    #[test]
    fn an_object_has_its_burst_and_then_one_in_five_minutes() {
        let (mut correlator, start) = (Correlator::new(), Instant::now());
        let mut sent = |object: &str, after: Duration| {
            correlator
                .correlate(&event(object, "it is"), start + after)
                .is_some()
        };
        for _ in 0..BURST {
            assert!(sent("a", Duration::ZERO));
        }
        assert!(!sent("a", Duration::ZERO));
        assert!(sent("b", Duration::ZERO), "another object has its own");
        assert!(sent("a", EVERY));
        assert!(!sent("a", EVERY));
    }

    #[test]
    fn the_number_of_remembered_events_is_limited() {
        let (mut correlator, start) = (Correlator::new(), Instant::now());
        for number in 0..2 * MOST_KNOWN {
            assert!(
                correlator
                    .correlate(&event(&number.to_string(), ""), start)
                    .is_some()
            );
        }
        assert!(correlator.sent.len() <= MOST_KNOWN);
    }

    #[test]
    fn an_event_is_called_like_its_object_as_far_as_it_can_be() {
        let of = |object: &str| name(&event(object, "").about, Timestamp::UNIX_EPOCH);
        assert_eq!(of("a.b-c"), "a.b-c.0");
        assert_eq!(of("system:node"), "cow.0");
        assert_eq!(of(""), "cow.0");
        let long = name(&event(&"a".repeat(253), "").about, Timestamp::now());
        assert_eq!(long.len(), LONGEST_NAME);
        let cut = name(&event(&"a-".repeat(126), "").about, Timestamp::now());
        assert!(cut.len() <= LONGEST_NAME && !cut.contains("-."), "{cut}");
    }

    #[test]
    fn a_long_note_is_cut_between_characters() {
        assert_eq!(shorten("short", 10), "short");
        let cut = shorten(&"ü".repeat(20), 10);
        assert!(
            cut.len() <= 10 && cut.ends_with('…') && cut.starts_with('ü'),
            "{cut}"
        );
    }
}
