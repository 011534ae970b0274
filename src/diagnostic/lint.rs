//! What a linter knows of one of its rules.

/// A rule of a linter.
#[derive(Debug, Eq, PartialEq)]
pub struct Lint {
    /// Its name, in kebab case and never changed: what `rustop:allow(…)` names.
    pub id: &'static str,
    /// What it finds, in one line without a full stop.
    pub finds: &'static str,
    /// Why that is bad and what to do about it, in sentences.
    pub why: &'static str,
}
