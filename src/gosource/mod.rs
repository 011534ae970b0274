//! Parsers for the files of a Go project: PROJECT, markers, controllers, conversions, finalizers
//! and webhook handlers. They take text and return values, without any I/O.

mod converters;
mod finalizers;
mod go_controller;
mod groups;
mod handlers;
mod imports;
mod lexer;
mod markers;
mod project;

pub use converters::converters;
pub use finalizers::{Constants, Finalizer, finalizers};
pub use go_controller::{BuilderCall, GoController, GoType, go_controllers};
pub use groups::Groups;
pub use handlers::{GoHandler, HandledType, HandlerTarget, handlers};
pub use markers::markers;
pub use project::{GoProject, GoResource};

#[cfg(test)]
mod tests;
