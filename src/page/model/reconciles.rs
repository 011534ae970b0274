//! Reconciles, reconstructed from the log lines about them.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::bounded_list::{BoundedList, KEPT};
use crate::page::line::LogLine;
use crate::page::update::{About, ProjectKind};

const BEGINS: &str = "reconciling";
const SUCCEEDED: &str = "reconciled";
const FAILED: &str = "reconcile failed: ";
/// The object was deleted, or the operator is stopping.
const GONE: &str = "reconcile failed, but";
/// The status could not be written yet, or a cleanup has to wait.
const POSTPONED: &str = "reconcile postponed: ";
const NOT_LEADER: &str = "write skipped: this replica is no longer the leader";

/// A reconcile of one object. Times are in microseconds since 1970.
#[derive(Clone, Debug, Default)]
pub struct Reconcile {
    /// The `reconcile_id` of its log lines.
    id: String,
    /// The kind of the object; the controller's name if the kind is not known.
    pub kind: String,
    /// The object as in the log: `NAMESPACE/NAME`, or `NAME` if it is cluster-scoped.
    pub object: String,
    /// The reason for the reconcile as in the log, such as `start`.
    pub cause: String,
    pub start: u64,
    /// The time of the end; `None` while the reconcile runs.
    pub end: Option<u64>,
    /// `running`, `ok`, `failed`, `cut off` if the operator ended, or `put off` if the status could
    /// not be written yet, a cleanup has to wait, the object was deleted, the replica is no longer
    /// the leader, or the operator is stopping.
    pub outcome: &'static str,
    /// The message of the error, or the reason why it was put off; empty for other outcomes.
    pub error: String,
    /// Number of consecutive failures, including this one.
    pub failures: u64,
    /// Time of the next attempt; `None` if none is scheduled.
    pub retry: Option<u64>,
}

impl Reconcile {
    /// Returns the message for the page.
    pub fn message(&self, number: u64, uid: Option<&str>) -> Value {
        json!({"t": "reconcile", "n": number, "id": self.id, "uid": uid, "kind": self.kind,
            "object": self.object, "cause": self.cause, "start": self.start, "end": self.end,
            "outcome": self.outcome, "error": self.error, "failures": self.failures, "retry": self.retry})
    }
}

/// The most recent reconciles.
#[derive(Debug, Default)]
pub struct Reconciles {
    all: BoundedList<Reconcile>,
    /// Numbers of the running reconciles by their id.
    running: HashMap<String, u64>,
    /// Number of the last finished reconcile by kind and object.
    last: HashMap<(String, String), u64>,
    /// Controllers and their kinds.
    kinds: Vec<(String, String)>,
}

impl Reconciles {
    /// Sets the project whose controllers write the log.
    pub fn about(&mut self, about: &About) {
        let named = |kind: &ProjectKind| Some((kind.controller.clone()?, kind.kind.clone()));
        self.kinds = about.kinds.iter().filter_map(named).collect();
    }

    /// Returns the kind and the object that a line is about.
    pub fn subject<'a>(&'a self, line: &'a LogLine) -> Option<(&'a str, &'a str)> {
        let controller = line.field("controller")?;
        let kind = self.kinds.iter().find(|(name, _)| name == controller);
        let kind = kind.map_or(controller, |(_, kind)| kind.as_str());
        Some((kind, line.field("object")?))
    }

    /// Applies a log line, received at `at`. Returns the number of the reconcile that it is about,
    /// or `None` if it is about none.
    pub fn line(&mut self, at: u64, line: &LogLine) -> Option<u64> {
        let id = line.field("reconcile_id")?;
        let (kind, object) = self.subject(line)?;
        let number = match self.running.get(id) {
            Some(number) => *number,
            // A reconcile that started before the recording: its last line contains its duration.
            None if line.message == BEGINS || ends(line) => {
                let new = Reconcile {
                    id: id.to_owned(),
                    kind: kind.to_owned(),
                    object: object.to_owned(),
                    cause: line.field("cause").unwrap_or_default().to_owned(),
                    start: at.saturating_sub(line.field("took").and_then(micros).unwrap_or(0)),
                    outcome: "running",
                    ..Reconcile::default()
                };
                let number = self.all.push(KEPT, new);
                self.running.insert(id.to_owned(), number);
                number
            }
            None => return None,
        };
        if ends(line) {
            self.running.remove(id);
            self.end(at, number, line);
        }
        Some(number)
    }

    /// Records the end of a reconcile, which `line` reports.
    fn end(&mut self, at: u64, number: u64, line: &LogLine) {
        let Some(one) = self.all.get_mut(number) else {
            return;
        };
        one.end = Some(at);
        match line.message.strip_prefix(FAILED) {
            Some(error) => {
                one.outcome = "failed";
                error.clone_into(&mut one.error);
                one.failures = line
                    .fields
                    .get("failures")
                    .and_then(Value::as_u64)
                    .unwrap_or(1);
                one.retry = line
                    .field("retry_in")
                    .and_then(micros)
                    .map(|after| at + after);
            }
            None if line.message == SUCCEEDED => one.outcome = "ok",
            None => {
                one.outcome = "put off";
                let reason = line.message.strip_prefix(POSTPONED);
                reason
                    .or(line.field("error"))
                    .unwrap_or(&line.message)
                    .clone_into(&mut one.error);
            }
        }
        self.last
            .insert((one.kind.clone(), one.object.clone()), number);
        if self.last.len() > KEPT {
            let first = self.all.numbers().start;
            self.last.retain(|_, number| *number >= first);
        }
    }

    /// Marks all running reconciles as cut off, because the operator ended. Returns their numbers.
    pub fn cut(&mut self, at: u64) -> Vec<u64> {
        let numbers: Vec<_> = self.running.drain().map(|(_, number)| number).collect();
        for number in &numbers {
            if let Some(one) = self.all.get_mut(*number) {
                (one.end, one.outcome) = (Some(at), "cut off");
            }
        }
        numbers
    }

    /// Returns a reconcile by its number.
    pub fn get(&self, number: u64) -> Option<&Reconcile> {
        self.all.get(number)
    }

    /// Returns the numbers of all stored reconciles.
    pub fn numbers(&self) -> std::ops::Range<u64> {
        self.all.numbers()
    }

    /// Returns the last finished reconcile of an object.
    pub fn last(&self, kind: &str, object: &str) -> Option<&Reconcile> {
        let number = self.last.get(&(kind.to_owned(), object.to_owned()))?;
        self.all.get(*number)
    }
}

/// Reports whether a line is the last one of a reconcile.
fn ends(line: &LogLine) -> bool {
    let says = line.message.as_str();
    let is_end = |start: &&str| says.starts_with(*start);
    says == SUCCEEDED || [FAILED, GONE, POSTPONED, NOT_LEADER].iter().any(is_end)
}

/// Parses a duration in the format of Rust's `Debug`, for example `1.5ms`, into microseconds.
fn micros(text: &str) -> Option<u64> {
    let unit = text.find(|c: char| c != '.' && !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(unit);
    let scale = match unit {
        "ns" => 0.001,
        "µs" => 1.0,
        "ms" => 1e3,
        "s" => 1e6,
        _ => return None,
    };
    let micros = number.parse::<f64>().ok()? * scale;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "no reconcile takes a million years"
    )]
    Some(micros.round() as u64)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    #[test]
    fn durations_read_as_rust_writes_them() {
        for micros in [0, 1, 999, 1500, 200_000, 1_000_000, 61_000_000] {
            let text = format!("{:?}", Duration::from_micros(micros));
            assert_eq!(super::micros(&text), Some(micros), "{text}");
        }
        assert_eq!(super::micros("soon"), None);
    }
}
