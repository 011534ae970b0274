//! Upgrade of a project from an earlier rustop: generated files are rendered again, and the user's
//! changes are merged with rustop's. The functions work on texts and do not access the file system.

mod cargo_toml;
mod lock;
mod merge;
mod merged;
mod notes;
mod renames;
mod rust;

pub use merge::{is_example, markers, merge};
pub use merged::ManualEdit;
pub use notes::since;
pub use renames::rename;
