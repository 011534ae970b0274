//! RBAC: roles generated from markers, and a comparison of the permissions granted with those that
//! the operator used. The operator runs under its own ServiceAccount, so the audit log of the API
//! server contains all of its requests.

mod audit;
pub mod bindings;
pub mod lint;
pub mod missing;
mod report;
pub mod role_file;
pub mod roles;
pub mod rule;

pub use audit::ObservedRequests;
pub use report::{Notation, Report};
