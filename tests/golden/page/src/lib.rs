//! The operator as a library, so that tests can run it.

pub mod controllers;
pub mod webhooks;
