//! What keeps a bundle from being made.

use crate::error::Failure;

/// An error of a bundle.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that cannot be read as YAML.
    #[error("`{path}`, which goes into the bundle, is no YAML")]
    NoYaml {
        /// Relative to the project.
        path: String,
        /// What is wrong, and where.
        source: Box<serde_yaml::Error>,
    },
    /// A file that holds something else than it should.
    #[error("`{path}`, which goes into the bundle, has no {what}")]
    Lacks {
        /// Relative to the project.
        path: String,
        /// What is not there.
        what: &'static str,
    },
    /// The operator has no version.
    #[error("`Cargo.toml` names no version, and a bundle has the operator's")]
    NoVersion,
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::NoYaml { path, .. } | Self::Lacks { path, .. } => {
                format!("mend {path}, then: rustop manifests")
            }
            Self::NoVersion => {
                "write version = \"0.1.0\" below [workspace.package] or [package] of Cargo.toml"
                    .to_owned()
            }
        })
    }
}
