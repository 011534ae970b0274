//! What the operator asked of the API server, against what it was granted. It runs under its own
//! ServiceAccount, so the audit log of the control plane holds the whole truth about both.

mod audit;
mod report;

pub use audit::Asked;
pub use report::Report;
