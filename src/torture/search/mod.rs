//! The search for findings: which runs a campaign does, in which order, and what follows from their results.

pub mod baseline_runner;
pub mod budget;
pub mod campaign;
pub mod coverage;
pub mod minimize;
pub mod owned_objects;
pub mod plan;
pub mod result;
pub mod suspects;
pub mod worker_pool;
