//! Scaffolding: from `PROJECT` to the files of the project.

mod builtin;
mod context;
mod conversion;
mod inherit;
mod lockfile;
mod merge;
mod render;
mod table;
#[cfg(test)]
mod tests;
mod types;
mod webhook;

pub use builtin::{Builtin, all as builtins, find as builtin, is_namespaced};
pub use inherit::{inherit, model};
pub use merge::merge;
pub use render::render;
pub use table::MANAGER;
pub use types::is_stored;
