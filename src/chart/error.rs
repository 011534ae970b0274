//! What keeps a file of `config/` out of the chart.

use crate::error::Failure;

/// An error of a chart.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that cannot be read as YAML.
    #[error("`{path}`, which goes into the chart, is no YAML")]
    NoYaml {
        /// Relative to the project.
        path: String,
        /// What is wrong, and where.
        source: Box<serde_yaml::Error>,
    },
    /// A document that is no object of Kubernetes.
    #[error(
        "document {number} of `{path}`, which goes into the chart, has no `apiVersion`, no `kind` or no `metadata.name`"
    )]
    NoObject {
        /// Relative to the project.
        path: String,
        /// Which one, from 1.
        number: usize,
    },
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        let (Self::NoYaml { path, .. } | Self::NoObject { path, .. }) = self;
        Some(format!(
            "mend it; kubectl kustomize config/default reads {path}, too"
        ))
    }
}
