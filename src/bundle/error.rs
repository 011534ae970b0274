//! Errors of the OLM bundle generator. `rustop create bundle` and `rustop manifests` run it.

use crate::error::Failure;

/// A file of the project prevents the bundle from being generated.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file is not YAML.
    #[error("cannot generate the bundle: `{path}` is not valid YAML")]
    NoYaml {
        /// The path relative to the project.
        path: String,
        /// The error with its location.
        source: Box<serde_yaml::Error>,
    },
    /// A file lacks something that the bundle needs.
    #[error("cannot generate the bundle: `{path}` has no {what}")]
    Lacks {
        /// The path relative to the project.
        path: String,
        /// The missing field or object.
        what: &'static str,
    },
    /// The operator's package has no version. `ops/bundle.rs` reads it from `Cargo.toml`.
    #[error("cannot generate the bundle: `Cargo.toml` has no version")]
    NoVersion,
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::NoYaml { path, .. } | Self::Lacks { path, .. } => {
                format!("fix {path}, then run the command again")
            }
            Self::NoVersion => {
                "write version = \"0.1.0\" below [workspace.package] or [package] of Cargo.toml"
                    .to_owned()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_is_right_for_every_command_that_generates_a_bundle() {
        let error = Error::Lacks {
            path: "config/manager/manager.yaml".into(),
            what: "Deployment",
        };
        assert_eq!(
            error.help().as_deref(),
            Some("fix config/manager/manager.yaml, then run the command again")
        );
    }
}
