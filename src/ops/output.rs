//! What is printed of what was found.

use std::error::Error as _;
use std::iter::successors;
use std::path::Path;

use super::{Error, Refusal};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::report;
use crate::error::Failure as _;
use crate::tree::Change;

/// The form of what is printed on stdout.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Output {
    /// For people: of a check a diff, else nothing.
    #[default]
    Text,
    /// For programs: all changes and diagnostics.
    Json,
    /// For code scanning: SARIF 2.1.0.
    Sarif,
}

impl Output {
    /// The text for programs; none for people.
    pub fn report(
        self,
        changes: &[Change],
        written: bool,
        diagnostics: &[Diagnostic],
    ) -> Option<String> {
        match self {
            Self::Text => None,
            Self::Json => Some(report::json(changes, written, diagnostics)),
            Self::Sarif => Some(report::sarif(changes, written, diagnostics)),
        }
    }
}

/// What a run failed of, for programs, which do not read what stderr says. Stale files are changes.
pub fn found_by(error: &Error) -> Vec<Diagnostic> {
    match error {
        Error::Problems(found) => found.0.clone(),
        Error::Refusal(Refusal::Drift { .. }) => Vec::new(),
        error => {
            let causes = successors(error.source(), |cause| (**cause).source());
            let message = causes.fold(error.to_string(), |said, cause| format!("{said}: {cause}"));
            let mut diagnostic = Diagnostic::file(Path::new("."), message);
            diagnostic.help = error.help();
            vec![diagnostic]
        }
    }
}
