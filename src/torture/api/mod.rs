//! Requests to the API server, and the reasons for rejected and forbidden ones.

pub mod call;
pub mod field_manager;
pub mod permission;
pub mod rejection;
