//! What is kept of all that was seen.

use std::collections::BTreeMap;

use serde_json::Value;

use super::calls::Made;
use super::notices::Notices;
use super::objects::Objects;
use super::reconciles::Reconciles;
use super::ring::{KEPT, Ring};
use crate::page::line::Line;
use crate::page::news::{About, Permissions, Process};

/// So many bytes of lines are kept.
const BYTES: usize = 16 << 20;

/// All of it; each part is bounded.
#[derive(Debug, Default)]
pub struct Kept {
    /// When the first of all was seen.
    pub begin: u64,
    pub about: About,
    pub process: Process,
    pub permissions: Permissions,
    pub figures: Ring<(u64, BTreeMap<String, f64>)>,
    pub lines: Ring<(u64, Line)>,
    /// The bytes of these.
    bytes: usize,
    pub calls: Ring<Made>,
    pub notices: Notices,
    pub objects: Objects,
    pub reconciles: Reconciles,
}

impl Kept {
    /// Adds a line and forgets the oldest ones, so that their number and their bytes are bounded; its number.
    pub fn keep_line(&mut self, at: u64, line: Line) -> u64 {
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

/// About how many bytes a line takes.
fn size(line: &Line) -> usize {
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
    fn long_lines_are_forgotten_sooner() {
        let mut kept = Kept::default();
        for _ in 0..600 {
            let message = "x".repeat(1 << 20);
            kept.keep_line(
                0,
                Line {
                    message,
                    ..Line::default()
                },
            );
        }
        assert_eq!((kept.lines.len(), kept.bytes), (16, BYTES));
        for n in 0..2 * KEPT as u64 {
            assert_eq!(kept.keep_line(0, Line::default()), 600 + n);
        }
        assert_eq!((kept.lines.len(), kept.bytes), (KEPT, 0));
    }
}
