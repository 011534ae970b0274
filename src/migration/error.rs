//! Why stored objects stay in an older version.

use super::Unwritten;
use crate::client;
use crate::error::Failure;
use crate::text::{count, indented};

/// Result of everything in this room.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of a migration.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API server, or the way to it.
    #[error(transparent)]
    Client(#[from] client::Error),
    /// Objects that could not be written anew.
    #[error(
        "{} could not be written anew, all others were:\n{}",
        count(unwritten.len(), "object"),
        indented(unwritten)
    )]
    NotMigrated {
        /// Each of them, and why.
        unwritten: Vec<Unwritten>,
    },
    /// Somebody moved the storage version while objects were written.
    #[error("{crd} got another storage version meanwhile")]
    StorageMoved {
        /// The CRD.
        crd: String,
    },
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        match self {
            Self::Client(error) => error.help(),
            Self::NotMigrated { unwritten } => Some(mending(unwritten)),
            Self::StorageMoved { .. } => Some("run it again".into()),
        }
    }
}

/// The API server converts an object to the stored version even to delete it, and for webhooks of other versions.
fn mending(unwritten: &[Unwritten]) -> String {
    let each = "the command of each object above, or `kubectl delete` in place of `kubectl edit`";
    let before = unwritten.iter().flat_map(|one| &one.before);
    let after = unwritten.iter().flat_map(|one| &one.after);
    let lines = before.map(String::as_str).chain([each]);
    let lines = lines.chain(after.map(String::as_str));
    let mut once = Vec::new();
    for line in lines.chain(["rustop migrate"]) {
        if !once.contains(&line) {
            once.push(line);
        }
    }
    once.join("\n      ")
}
