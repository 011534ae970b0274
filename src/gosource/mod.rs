//! Parsers for the files of a Go project: PROJECT, markers, controllers, conversions and finalizers. They take text and
//! return values, without any I/O.

mod chain;
mod converters;
mod finalizers;
mod lexer;
mod markers;
mod project;

pub use chain::{Call, Chain, Named, chains};
pub use converters::converters;
pub use finalizers::{Finalizer, finalizers};
pub use markers::markers;
pub use project::{GoProject, GoResource};

#[cfg(test)]
mod tests;
