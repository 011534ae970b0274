//! Candidates for the fields of `rustop.yaml`, and their evidence.

use std::path::PathBuf;

use crate::text::place;

/// Returns the item of an iterator that has exactly one.
pub fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

/// The place in a file from which a finding follows.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Evidence {
    /// The file, relative to the repository.
    pub file: PathBuf,
    /// The line, counted from 1; 0 for the whole file.
    pub line: usize,
    /// The reason, with the place as its subject: ``calls `Cow::crd()` ``.
    pub why: String,
}

impl Evidence {
    /// Creates evidence. `why` is a predicate with the place as its subject.
    pub fn new(file: impl Into<PathBuf>, line: usize, why: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            line,
            why: why.into(),
        }
    }

    /// Returns the file, with the line if there is one.
    pub fn place(&self) -> String {
        place(&self.file, self.line)
    }
}

/// A possible value with its evidence.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Candidate<T> {
    /// The value for `rustop.yaml`, or a part of it.
    pub value: T,
    pub evidence: Evidence,
}

impl<T> Candidate<T> {
    pub fn new(value: T, evidence: Evidence) -> Self {
        Self { value, evidence }
    }
}
