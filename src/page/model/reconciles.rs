//! Reconciles, put together of the lines that the operator writes about them.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::ring::{KEPT, Ring};
use crate::page::line::Line;
use crate::page::news::{About, Kind};

const BEGINS: &str = "reconciling";
const SUCCEEDED: &str = "reconciled";
const FAILED: &str = "reconcile failed: ";
const GONE: &str = "reconcile failed, but";
const PUT_OFF: &str = "the status was not written";

/// One of them.
#[derive(Clone, Debug, Default)]
pub struct Reconcile {
    id: String,
    /// The kind of its object, as far as it is known.
    pub kind: String,
    /// `namespace/name`.
    pub object: String,
    pub cause: String,
    pub start: u64,
    pub end: Option<u64>,
    /// `running`, `ok`, `failed`, `put off` or `cut off`.
    pub outcome: &'static str,
    /// Why it failed.
    pub error: String,
    /// How often in a row.
    pub failures: u64,
    /// When it is tried again.
    pub retry: Option<u64>,
}

impl Reconcile {
    /// What a page is told.
    pub fn message(&self, number: u64, uid: Option<&str>) -> Value {
        json!({"t": "reconcile", "n": number, "id": self.id, "uid": uid, "kind": self.kind,
            "object": self.object, "cause": self.cause, "start": self.start, "end": self.end,
            "outcome": self.outcome, "error": self.error, "failures": self.failures, "retry": self.retry})
    }
}

/// The last of them.
#[derive(Debug, Default)]
pub struct Reconciles {
    all: Ring<Reconcile>,
    /// Those under way, by their id.
    running: HashMap<String, u64>,
    /// The last that ended, by kind and object.
    last: HashMap<(String, String), u64>,
    /// The names of controllers and their kinds.
    kinds: Vec<(String, String)>,
}

impl Reconciles {
    /// Whose controllers these are.
    pub fn about(&mut self, about: &About) {
        let named = |kind: &Kind| Some((kind.controller.clone()?, kind.kind.clone()));
        self.kinds = about.kinds.iter().filter_map(named).collect();
    }

    /// The kind and the object that a line is about.
    pub fn subject<'a>(&'a self, line: &'a Line) -> Option<(&'a str, &'a str)> {
        let controller = line.field("controller")?;
        let kind = self.kinds.iter().find(|(name, _)| name == controller);
        let kind = kind.map_or(controller, |(_, kind)| kind.as_str());
        Some((kind, line.field("object")?))
    }

    /// Takes in a line; the number of the reconcile that it tells of.
    pub fn line(&mut self, at: u64, line: &Line) -> Option<u64> {
        let id = line.field("reconcile_id")?;
        let (kind, object) = self.subject(line)?;
        let number = match self.running.get(id) {
            Some(number) => *number,
            // Of one that began before anybody looked, the end tells how long it took.
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

    fn end(&mut self, at: u64, number: u64, line: &Line) {
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
                line.field("error")
                    .unwrap_or_default()
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

    /// The operator ended: what was under way was cut off.
    pub fn cut(&mut self, at: u64) -> Vec<u64> {
        let numbers: Vec<_> = self.running.drain().map(|(_, number)| number).collect();
        for number in &numbers {
            if let Some(one) = self.all.get_mut(*number) {
                (one.end, one.outcome) = (Some(at), "cut off");
            }
        }
        numbers
    }

    /// One by its number.
    pub fn get(&self, number: u64) -> Option<&Reconcile> {
        self.all.get(number)
    }

    /// The numbers of all that are kept.
    pub fn numbers(&self) -> std::ops::Range<u64> {
        self.all.numbers()
    }

    /// The last of an object that ended.
    pub fn last(&self, kind: &str, object: &str) -> Option<&Reconcile> {
        let number = self.last.get(&(kind.to_owned(), object.to_owned()))?;
        self.all.get(*number)
    }
}

fn ends(line: &Line) -> bool {
    let says = line.message.as_str();
    says == SUCCEEDED || says == PUT_OFF || says.starts_with(FAILED) || says.starts_with(GONE)
}

/// A duration as Rust's `Debug` writes it: `1.5ms`.
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
