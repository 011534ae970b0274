//! `rustop torture`: finds the bugs of an operator that show when something goes wrong, without a test being
//! written.
//!
//! A [`scenario`] is made from a sample and its schema, and played twice on a real control plane, with a
//! [`proxy`] between the operator and the API server that writes a [`journal`]. From what happened follow the
//! [`fault`]s; each is done in a [`run`] of its own, and the [`judge`] compares its states with those of the
//! run without: an operator that survives comes to rest in the same one.

mod api;
pub mod busy;
mod campaign;
mod children;
mod coverage;
mod env;
mod error;
mod fault;
mod journal;
mod lanes;
mod learn;
mod oracle;
mod outcome;
mod plan;
mod proxy;
mod random;
pub mod report;
mod run;
mod scenario;
mod search;
mod shadow;
mod shrink;
mod snapshot;
mod suspects;

pub use api::call::Resource;
pub use campaign::{Campaign, Limits};
pub use env::Stage;
pub use env::cluster_view::{Kinds, World};
pub use env::process::{Program, last_words};
pub use env::upstream::Upstream;
pub use error::Error;
pub use learn::Sample;
pub use oracle::Judge;
pub use oracle::finding::Finding;
pub use outcome::Outcome;
pub use random::seed;
pub use scenario::custom::{Written, read as written};
pub use shadow::{Compared, Place, Shadow};
