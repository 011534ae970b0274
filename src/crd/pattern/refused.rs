//! Why Go refuses an expression.

/// A part of a sentence.
type Refused = String;
/// What can be refused.
pub type Result<T> = std::result::Result<T, Refused>;
