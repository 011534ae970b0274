//! Errors of the page and of recordings.

use std::path::PathBuf;

use crate::error::{Failure, Io};

/// The result of functions in this module.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the page or of a recording.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or a port could not be used.
    #[error(transparent)]
    Io(#[from] Io),
    /// The file is not a recording, or a different version of rustop wrote it.
    #[error("`{}:{line}` is not a line of a recording", path.display())]
    NoRecording {
        path: PathBuf,
        /// Line number, starting at 1.
        line: usize,
        /// Why the line could not be parsed.
        source: serde_json::Error,
    },
    /// The file has content that a new recording would overwrite.
    #[error("`{}` already exists", path.display())]
    Exists { path: PathBuf },
    /// The recording contains nothing.
    #[error("`{}` is an empty recording", path.display())]
    Empty { path: PathBuf },
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        match self {
            Self::Io(error) => error.help(),
            Self::Exists { .. } => Some("choose another file, or delete this one".into()),
            Self::NoRecording { .. } | Self::Empty { .. } => {
                Some("rustop dev --record FILE".into())
            }
        }
    }
}
