//! Errors of the generation of CRDs.

use crate::cargo;
use crate::error::{Failure, Io};
use crate::text::indented;

/// The maximum nesting depth of mappings and lists in a CRD. `serde_json` reads 127 levels, and
/// `crdgen` prints the CRDs in an array.
pub const DEEPEST: usize = 126;

/// An error in the project's types, in the output of `crdgen`, or in a CRD from another source,
/// such as an adopted project.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The types do not build, the build was interrupted, or cargo is missing or cannot be run.
    #[error(transparent)]
    Cargo(#[from] cargo::Error),
    /// The project's `crdgen` failed.
    #[error("the project's `crdgen` failed:\n{}", indented(&output.lines().collect::<Vec<_>>()))]
    Crdgen {
        /// The output of `crdgen`.
        output: String,
        /// The command or text that fixes it.
        advice: &'static str,
    },
    /// The API server would reject the CRD, or another CRD has the same group and plural. `reason`
    /// is the predicate of a sentence about the CRD.
    #[error("the CRD `{name}` {reason}")]
    Invalid { name: String, reason: String },
    /// `crdgen` cannot be run.
    #[error(transparent)]
    Io(#[from] Io),
    /// An item does not have the form of a CRD.
    #[error("{name} does not have the form of a CustomResourceDefinition: {reason}")]
    NotACrd {
        /// The item's name; without one, its number.
        name: String,
        reason: String,
    },
    /// The output is not a JSON array.
    #[error("the output of crdgen is not a JSON array of CRDs: {0}")]
    NotJson(serde_json::Error),
    /// A CRD is nested too deeply for the JSON parser.
    #[error(
        "the types generate a CRD with more than {DEEPEST} mappings and lists inside each other"
    )]
    TooDeep,
}

impl Failure for Error {
    fn is_report(&self) -> bool {
        match self {
            Self::Cargo(error) => error.is_report(),
            _ => matches!(self, Self::Crdgen { .. }),
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Cargo(error) => error.help(),
            Self::Crdgen { advice, .. } => Some((*advice).to_owned()),
            Self::TooDeep => Some(
                "write `#[schemars(schema_with = ..)]` on the deepest field that you can, with \
                 `{\"type\": \"object\", \"x-kubernetes-preserve-unknown-fields\": true}`"
                    .to_owned(),
            ),
            Self::NotJson(_) => Some(
                "see `cargo run -p <project>-api --bin crdgen`, which prints nothing but CRDs to stdout: code \
                 that it runs may use `eprintln!`, but not `println!`"
                    .to_owned(),
            ),
            Self::Invalid { .. } | Self::Io(_) | Self::NotACrd { .. } => None,
        }
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::Cargo(error) => error.exit_code(),
            _ => 1,
        }
    }
}
