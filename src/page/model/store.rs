//! The state of a page: the updates received so far, as far as the limits allow.

use std::collections::BTreeMap;

use serde_json::Value;

use super::bounded_list::{BoundedList, KEPT};
use super::calls::TimedCall;
use super::objects::Objects;
use super::problem_notices::Notices;
use super::reconciles::Reconciles;
use crate::page::line::LogLine;
use crate::page::update::{About, Permissions, Process};

/// Maximum size of all log lines together.
const BYTES: usize = 16 << 20;

/// The updates that the model stores, by subject. Each part has a maximum number of entries; the
/// oldest are dropped.
#[derive(Debug, Default)]
pub struct Store {
    /// Time of the first update, in microseconds since 1970.
    pub begin: u64,
    /// The project whose operator runs.
    pub about: About,
    /// The state of the operator's process.
    pub process: Process,
    /// The newest report on permissions.
    pub permissions: Permissions,
    /// Metrics of the operator by name, each sample with its time in microseconds since 1970.
    pub metrics: BoundedList<(u64, BTreeMap<String, f64>)>,
    /// The operator's log, each line with its time in microseconds since 1970.
    pub lines: BoundedList<(u64, LogLine)>,
    /// Total size of `lines` in bytes.
    bytes: usize,
    /// The operator's requests.
    pub calls: BoundedList<TimedCall>,
    /// The notices about problems, which are derived from the other parts.
    pub notices: Notices,
    pub objects: Objects,
    pub reconciles: Reconciles,
}

impl Store {
    /// Stores a log line of the time `at` and returns its number. Drops the oldest lines, so that
    /// at most [`KEPT`] lines and 16 MiB remain.
    pub fn keep_line(&mut self, at: u64, line: LogLine) -> u64 {
        self.bytes += size(&line);
        let full = self.lines.len() >= KEPT;
        while self.bytes > BYTES || (full && self.lines.len() >= KEPT) {
            let Some((_, oldest)) = self.lines.forget() else {
                break;
            };
            self.bytes = self.bytes.saturating_sub(size(&oldest));
        }
        self.lines.push(KEPT, (at, line))
    }
}

/// Estimates the size of a log line in bytes.
fn size(line: &LogLine) -> usize {
    let of = |value: &Value| match value {
        Value::String(text) => text.len(),
        other => other.to_string().len(),
    };
    let fields = line.fields.iter().chain(&line.span);
    let fields: usize = fields.map(|(name, value)| name.len() + of(value)).sum();
    line.level.len() + line.target.len() + line.message.len() + fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_dropped_sooner() {
        let mut kept = Store::default();
        for _ in 0..600 {
            let message = "x".repeat(1 << 20);
            kept.keep_line(
                0,
                LogLine {
                    message,
                    ..LogLine::default()
                },
            );
        }
        assert_eq!((kept.lines.len(), kept.bytes), (16, BYTES));
        for n in 0..2 * KEPT as u64 {
            assert_eq!(kept.keep_line(0, LogLine::default()), 600 + n);
        }
        assert_eq!((kept.lines.len(), kept.bytes), (KEPT, 0));
    }
}
