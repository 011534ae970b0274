//! The search for bugs: a campaign runs baselines, plans and runs faults within its time budget,
//! confirms suspects by further runs, and minimizes findings.

pub mod baseline_runner;
pub mod budget;
pub mod campaign;
pub mod confirm;
pub mod coverage;
pub mod minimize;
mod notes;
pub mod owned_objects;
pub mod plan;
pub mod result;
pub mod simulated;
pub mod suspects;
pub mod worker_pool;
