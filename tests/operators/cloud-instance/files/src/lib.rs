//! The operator as a library, so that tests can run it.

pub mod cloud;
pub mod controllers;
pub mod webhooks;
