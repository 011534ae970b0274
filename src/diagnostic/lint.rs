//! The metadata of a diagnostic rule.

/// A rule that produces warnings.
#[derive(Debug, Eq, PartialEq)]
pub struct Lint {
    /// Its name in kebab case. It never changes, since `rustop:allow(…)` comments refer to it.
    pub id: &'static str,
    /// The problem that it finds, in one line without a full stop.
    pub finds: &'static str,
    /// The reason why that is a problem and the solution, in sentences.
    pub why: &'static str,
}
