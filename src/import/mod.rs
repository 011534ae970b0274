//! From a CRD to Rust: types such as a person would have written, which make the same CRD again. Text in, text out.

mod attributes;
mod case;
mod defaults;
mod error;
mod file;
mod format;
mod kubernetes;
mod model;
mod names;
mod print;
mod read;
mod refuse;
mod root;
mod sample;
mod shape;
mod status;

pub use error::ImportError;
pub use file::{Called, file};
pub use read::{Imported, choose, read};
pub use refuse::{nulls, refusals};
pub use sample::sample;
pub use status::reported;

#[cfg(test)]
mod tests;
