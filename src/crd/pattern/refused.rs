//! The error of an expression that Go rejects.

/// The reason, as a part of a sentence.
type Refused = String;
pub type Result<T> = std::result::Result<T, Refused>;
