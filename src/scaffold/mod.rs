//! Scaffolding: from `PROJECT` to the files of the project.

mod apply;
mod context;
mod conversion;
mod inherit;
mod lockfile;
mod render;
mod table;
#[cfg(test)]
mod tests;
mod types;
mod webhook;

pub use apply::{apply, claim, open, useless};
pub use inherit::{convert, copy, model};
pub use render::render;
pub use types::is_stored;
