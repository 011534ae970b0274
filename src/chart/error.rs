//! Errors that prevent converting files of `config/` to chart templates.

use crate::error::Failure;

/// An error in a file that goes into the chart.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that is not valid YAML.
    #[error("`{path}`, which goes into the chart, is no YAML")]
    NoYaml {
        /// The path relative to the project.
        path: String,
        /// The parser's error, with its location.
        source: Box<serde_yaml::Error>,
    },
    /// A document that is not a Kubernetes object.
    #[error(
        "document {number} of `{path}`, which goes into the chart, has no `apiVersion`, no `kind` or no `metadata.name`"
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
            "fix it; `kubectl kustomize config/default` reads {path}, too"
        ))
    }
}
