//! The search for findings: which runs a campaign does, in which order, and what follows from their results.

pub mod budget;
