//! Rehearses the upgrade of an operator: its old version converges on many states, and the new
//! version takes them over. A state is one object, a sample with its own or another spec, together
//! with the children that the operator has created for it.
//!
//! CRDs belong to the whole cluster, so the upgrade happens once, between passes over all states.
//! In the [`OldPass`] each state gets a namespace, in which its objects stay. The caller then
//! installs the manifests of the new version. In the [`NewPass`] the new version takes over each
//! namespace, and also creates the same state from nothing, as a reference. Some namespaces are
//! reserved for crashes in the middle of the upgrade, some for rolling updates, in which both
//! versions run at the same time, and some for the [`RollbackPass`], in which the old version takes
//! over again. The [`oracle`] derives the changes.

pub mod allowance;
pub mod change;
mod conflict;
pub mod conversion;
mod new_pass;
mod old_pass;
mod oracle;
pub mod report;
mod result;
mod rollback_pass;
mod rolling;
mod state;

pub use new_pass::NewPass;
pub use old_pass::OldPass;
pub use result::UpgradeResult;
pub use rollback_pass::RollbackPass;
pub use state::{OldState, RehearsalLimits};
