//! How a project of an earlier rustop becomes one of this rustop: files that are rustop's are rendered anew, and what the
//! user has changed is merged with what rustop has changed. Texts go in, texts come out.

mod cargo_toml;
mod lock;
mod merge;
mod merged;
mod notes;
mod rust;

pub use merge::{is_example, markers, merge};
pub use merged::Paste;
pub use notes::since;
