//! Fault injection for operators: the implementation of `rustop torture`.
//!
//! A campaign ([`search`]) generates [`scenario`]s from a sample and the schema of its kind. It
//! runs each of them twice without faults on a real control plane ([`mod@env`]), with a [`proxy`]
//! between the operator and the API server that records a [`journal`]. The recorded writes and
//! watch events suggest [`fault`]s. Each fault gets its own [`run`], and the [`oracle`] compares
//! its [`snapshot`]s with those of the baseline runs: a correct operator converges to the same
//! state. [`report`] writes the findings.
//!
//! The project may add scenarios of its own ([`CustomScenario`]). [`load`] measures the load of the
//! machine, which extends time limits.
//!
//! Two other commands use the same parts: `rustop import --shadow` compares two operators
//! ([`mod@shadow`]), and `rustop torture --upgrade-from` rehearses the upgrade from one version of
//! an operator to another ([`upgrade`]). The file [`UPGRADE_FILE`], next to the custom scenarios,
//! contains the allowances for the upgrade.

mod api;
mod env;
mod error;
mod fault;
mod journal;
pub mod load;
mod oracle;
mod proxy;
mod random;
mod redaction;
pub mod report;
mod run;
mod scenario;
mod search;
mod shadow;
mod snapshot;
pub mod upgrade;

pub use api::call::Resource;
pub use api::permission::without_marker as remedy_without_marker;
pub use env::Environment;
pub use env::cluster_view::{ClusterView, ServedKinds};
pub use env::network::{NetworkNamespace, hold as hold_network};
pub use env::process::{Program, exit_reason};
pub use env::upstream::Upstream;
pub use error::{Error, ManifestOption};
pub use oracle::Oracle;
pub use oracle::finding::Finding;
pub use random::seed;
pub use run::settings::Rollout;
pub use scenario::custom::{CustomScenario, UPGRADE_FILE, read as read_custom_scenarios};
pub use search::baseline_runner::ScenarioSample;
pub use search::campaign::{Campaign, Limits};
pub use search::confirm::Confirmation;
pub use search::result::CampaignResult;
pub use search::simulated::SimulatedFinding;
pub use shadow::{IgnoredField, Shadow, ShadowResult};
