//! What the text of a Go project says: its PROJECT, the markers in its comments, its builder chains, its finalizers. Text in, values out.

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
