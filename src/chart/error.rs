//! Errors that prevent converting files of `config/` to chart templates.

use crate::error::Failure;

/// An error in a file that goes into the chart.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that is not valid YAML.
    #[error("cannot generate the chart: `{path}` is not YAML")]
    NoYaml {
        /// The path relative to the project.
        path: String,
        /// The parser's error, with its location.
        source: Box<serde_yaml::Error>,
    },
    /// A document that is not a Kubernetes object.
    #[error(
        "cannot generate the chart: document {number} of `{path}` has no `apiVersion`, no `kind` or no `metadata.name`"
    )]
    NoObject {
        /// The path relative to the project.
        path: String,
        /// The number of the document in the file, starting at 1.
        number: usize,
    },
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        let (Self::NoYaml { path, .. } | Self::NoObject { path, .. }) = self;
        Some(format!(
            "fix {path}; `kubectl kustomize config/default` also shows the error"
        ))
    }
}
