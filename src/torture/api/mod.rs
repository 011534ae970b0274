//! Requests to the API server: what they ask for, and why they are rejected or forbidden.

pub mod call;
pub mod permission;
pub mod rejection;
