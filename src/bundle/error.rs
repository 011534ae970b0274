//! Errors of the bundle generator.

use crate::error::Failure;

/// A file of the project prevents the bundle from being generated.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file is not YAML.
    #[error("`{path}`, which goes into the bundle, is no YAML")]
    NoYaml {
        /// The path relative to the project.
        path: String,
        /// The error with its location.
        source: Box<serde_yaml::Error>,
    },
    /// A file lacks something that the bundle needs.
    #[error("`{path}`, which goes into the bundle, has no {what}")]
    Lacks {
        /// The path relative to the project.
        path: String,
        /// The missing field or object.
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
