//! Import of CRDs: generates Rust types, as a person would write them, that produce the same CRD
//! again. Converts texts to texts and does not access files.

mod attributes;
mod collections;
mod defaults;
mod error;
mod file;
mod format;
mod kind_attributes;
mod kubernetes;
mod lenient_yaml;
mod model;
mod names;
mod objects;
mod patch;
mod print;
mod quoted;
mod read;
mod refuse;
mod rename_all;
mod sample;
mod scalars;
mod shape;
mod shared;
mod status;
mod type_registry;
mod type_words;
mod use_declarations;

pub use error::ImportError;
pub use file::{Called, GeneratedTypes, ImportedKind, files};
pub use read::{Imported, choose, read};
pub use refuse::{needless, nulls, sayable};
pub use sample::sample;
pub use status::reported;

#[cfg(test)]
mod tests;
