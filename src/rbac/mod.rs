//! What the operator asked of the API server, against what it was granted. It runs under its own
//! ServiceAccount, so the audit log of the control plane holds the whole truth about both.

mod audit;
pub mod bindings;
pub mod granted;
pub mod lint;
mod report;
pub mod roles;
pub mod rule;

pub use audit::Asked;
pub use report::Report;
