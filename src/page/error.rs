//! What can go wrong with the page.

use std::path::PathBuf;

use crate::error::{Failure, Io};

/// Result of everything in this room.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the page or of a recording.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or a port.
    #[error(transparent)]
    Io(#[from] Io),
    /// A file that no `rustop dev --record` wrote, or another rustop did.
    #[error("`{}:{line}` is no line of a recording", path.display())]
    NoRecording {
        /// The file.
        path: PathBuf,
        /// The line, from 1 on.
        line: usize,
        /// What it is instead.
        source: serde_json::Error,
    },
    /// A file that would be lost.
    #[error("there is something in `{}` already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A file with nothing in it.
    #[error("`{}` is an empty recording", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        match self {
            Self::Io(error) => error.help(),
            Self::Exists { .. } => Some("name another file, or delete this one".into()),
            Self::NoRecording { .. } | Self::Empty { .. } => {
                Some("rustop dev --record FILE makes one".into())
            }
        }
    }
}
