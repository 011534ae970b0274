//! The user's Rust: its files, and what rustop reads in them. Nothing here writes.

pub mod allow;
pub mod comments;
pub mod files;
pub mod marker;
pub mod members;
pub mod uses;
