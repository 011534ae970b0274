//! `rustop torture`: finds the bugs of an operator that show when something goes wrong, without a test being
//! written.
//!
//! A [`scenario`] is made from a sample and its schema, and played twice on a real control plane, with a
//! [`proxy`] between the operator and the API server that writes a [`journal`]. From what happened follow the
//! [`fault`]s; each is done in a [`run`] of its own, and the [`judge`] compares its states with those of the
//! run without: an operator that survives comes to rest in the same one.

mod api;
pub mod busy;
mod env;
mod error;
mod fault;
mod journal;
mod oracle;
mod proxy;
mod random;
pub mod report;
mod run;
mod scenario;
mod search;
mod shadow;
mod snapshot;

pub use api::call::Resource;
pub use env::Stage;
pub use env::cluster_view::{Kinds, World};
pub use env::process::{Program, last_words};
pub use env::upstream::Upstream;
pub use error::Error;
pub use oracle::Judge;
pub use oracle::finding::Finding;
pub use random::seed;
pub use scenario::custom::{Written, read as written};
pub use search::baseline_runner::Sample;
pub use search::campaign::{Campaign, Limits};
pub use search::result::Outcome;
pub use shadow::{Compared, Place, Shadow};
