//! Why there are no CRDs.

use crate::cargo;
use crate::error::{Failure, Io};

/// An error of the project's types, or of what prints them.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The types do not build.
    #[error(transparent)]
    Cargo(#[from] cargo::Error),
    /// The project's `crdgen` failed.
    #[error("the project's `crdgen` failed:\n{output}")]
    Crdgen {
        /// What it said.
        output: String,
        /// What mends it.
        advice: &'static str,
    },
    /// A CRD that the API server would refuse.
    #[error("the CRD `{name}` {reason}")]
    Invalid {
        /// The CRD's name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// `crdgen` cannot be run.
    #[error(transparent)]
    Io(#[from] Io),
    /// An item of the array does not have the form of a CRD.
    #[error("crdgen printed something that is no CustomResourceDefinition: {name}: {reason}")]
    NotACrd {
        /// The item's name, or its number.
        name: String,
        /// What does not fit.
        reason: String,
    },
    /// The output is no JSON, or no array.
    #[error("crdgen printed no JSON array of CRDs: {0}")]
    NotJson(serde_json::Error),
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        match self {
            Self::Cargo(error) => error.help(),
            Self::Crdgen { advice, .. } => Some((*advice).to_owned()),
            Self::Invalid { .. } | Self::Io(_) | Self::NotACrd { .. } | Self::NotJson(_) => None,
        }
    }
}
