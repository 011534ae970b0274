//! Scaffolding: from `PROJECT` to the files of the project.

mod apply;
mod builtin;
mod context;
mod lockfile;
mod render;
mod table;
#[cfg(test)]
mod tests;
mod webhook;

pub use apply::{apply, claim, open, useless};
pub use builtin::{Builtin, all as builtins, find as builtin, is_namespaced};
pub use render::render;
