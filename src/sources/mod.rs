//! The user's Rust sources: reads each file once and extracts what rustop needs. Never writes.

pub mod allow;
pub mod comments;
pub mod conditions;
mod files;
pub mod hidden_inputs;
pub mod imports;
pub mod kind_usage;
pub mod macro_rules;
pub mod marker;
pub mod packages;
pub mod types;
pub mod workspace_members;

use comments::Scan;
use conditions::Conditions;
use types::Types;

pub use files::{read, read_crates};
pub use types::Crate;

/// The contents of the operator's sources.
#[derive(Debug, Default)]
pub struct Sources {
    /// Markers, suppressions, strings and uses of kinds.
    pub scan: Scan,
    /// The types from which CRDs are generated.
    pub types: Types,
    /// The conditions that the controllers set.
    pub conditions: Conditions,
}
