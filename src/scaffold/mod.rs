//! Scaffolding: renders the files of a project from its `PROJECT`.

mod context;
mod conversion;
mod lockfile;
mod release;
mod render;
mod table;
#[cfg(test)]
mod tests;
mod types;
mod version_copy;
mod webhook;

pub use conversion::Unequal;
pub use lockfile::sorted as sorted_lock;
pub use release::{Release, Vendored};
pub use render::render;
#[cfg(test)]
pub use render::vendored_files;
pub use table::MANAGER;
pub use types::{has_status, is_stored};
pub use version_copy::{inherit, model, put_conversion};
