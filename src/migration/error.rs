//! Errors of a storage version migration.

use super::Unwritten;
use crate::client;
use crate::error::Failure;
use crate::terminal::escaped_line;
use crate::text::{count, indented};

/// The result of functions in this module.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a migration failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A request to the API server failed.
    #[error(transparent)]
    Client(#[from] client::Error),
    /// Some objects could not be rewritten.
    #[error(
        "{} could not be rewritten; all others were:\n{}",
        count(unwritten.len(), "object"),
        indented(&unwritten.iter().flat_map(Unwritten::lines).collect::<Vec<_>>())
    )]
    NotMigrated {
        /// The objects, with the reasons.
        unwritten: Vec<Unwritten>,
    },
    /// The storage version was changed while objects were being rewritten.
    #[error("the storage version of {crd} changed during the migration")]
    StorageMoved {
        /// The name of the CRD.
        crd: String,
    },
}

impl Failure for Error {
    fn is_report(&self) -> bool {
        matches!(self, Self::NotMigrated { .. })
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Client(error) => error.help(),
            Self::NotMigrated { unwritten } => Some(repair_commands(unwritten)),
            Self::StorageMoved { .. } => Some("rustop migrate".into()),
        }
    }
}

/// Returns the commands that repair the objects. The order matters: the API server converts an
/// object to the storage version even to delete it, and to other versions for webhooks.
fn repair_commands(unwritten: &[Unwritten]) -> String {
    let each = "the command of each object above, or `kubectl delete` instead of `kubectl edit`";
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
    let once: Vec<_> = once.into_iter().map(escaped_line).collect();
    once.join("\n      ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_of_each_object_has_a_line_of_its_own() {
        let unwritten = vec![Unwritten {
            name: (Some("farm".to_owned()), "bella".to_owned()),
            why: "not\nconvertible".to_owned(),
            resource: "cows.v1.my.domain".to_owned(),
            before: Vec::new(),
            after: Vec::new(),
        }];
        assert_eq!(
            Error::NotMigrated { unwritten }.to_string(),
            "1 object could not be rewritten; all others were:\n  farm/bella: not\\nconvertible\n    \
             kubectl edit cows.v1.my.domain bella --namespace farm"
        );
    }
}
