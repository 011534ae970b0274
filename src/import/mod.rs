//! Import of CRDs: generates Rust types, as a person would write them, that produce the same CRD
//! again. Converts texts to texts and does not access files: [`read_crds`] parses the CRDs,
//! [`check_expressible`] rejects those that the generated types cannot reproduce, and
//! [`generate_files`] writes the types.

mod attributes;
mod collections;
mod defaults;
mod error;
mod file;
mod format;
mod kind_attributes;
pub mod kubernetes;
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
mod schema_conversion;
mod shared;
mod status;
mod type_registry;
mod type_words;
mod use_declarations;

pub use error::ImportError;
pub use file::{GeneratedTypes, ImportedKind, RustNames, generate_files};
pub use read::{Imported, has_crd, read_crds, select_kind};
pub use refuse::{check_expressible, nullable_optional_fields, unused_allowances};
pub use sample::sample;
pub use status::conventional_status_fields;

#[cfg(test)]
mod tests;
