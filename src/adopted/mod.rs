//! Adopted projects: operators that rustop has not scaffolded. `rustop.yaml` names the commands and the manifests of such an
//! operator; this room reads that file and everything to which it points, and never writes into the project.

pub mod config;
pub mod deploy;
mod error;
pub mod paths;

pub use config::Config;
pub use error::Error;

/// The file that describes an adopted operator, at the top of its repository.
pub const FILE: &str = "rustop.yaml";
