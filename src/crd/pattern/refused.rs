//! The error of an expression that Go rejects.

/// The reason, as a part of a sentence.
type Refused = String;
/// The result of parsing a part of an expression.
pub type Result<T> = std::result::Result<T, Refused>;
