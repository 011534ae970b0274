//! The user's Rust, read once: its files, and what rustop takes from them. Nothing here writes.

pub mod allow;
pub mod comments;
mod files;
mod imports;
pub mod marker;
pub mod members;
pub mod types;
pub mod uses;

use comments::Scan;
use types::Types;

pub use files::read;

/// What stands in the sources of the operator.
#[derive(Debug, Default)]
pub struct Sources {
    /// What comments and strings say, and what is done with kinds.
    pub scan: Scan,
    /// The types that CRDs come from.
    pub types: Types,
}
