//! What is printed of what was found. A command that takes `--output json` prints one document, made here: the fields that its
//! operation has reported to the session, and the error.

use std::error::Error as _;
use std::iter::successors;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Map, Value, json};

use super::{Error, Refusal, Result};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::report;
use crate::error::{Failure as _, causes};
use crate::session::Session;
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

/// Prints the JSON document of a command that has ended. Fields may be added to it, none will change.
///
/// # Errors
/// If stdout cannot be written.
pub fn print(session: &Session, command: &str, result: &Result<ExitCode>) -> Result<()> {
    let mut document = Map::new();
    document.insert("command".to_owned(), command.into());
    let is_ok = matches!(result, Ok(code) if *code == ExitCode::SUCCESS);
    document.insert("ok".to_owned(), is_ok.into());
    let error = result.as_ref().err().map_or(Value::Null, described);
    document.insert("error".to_owned(), error);
    document.append(&mut session.results());
    let text = format!("{:#}\n", Value::Object(document));
    Ok(session.terminal.document(&text)?)
}

/// The document for a command line that cannot be parsed.
pub fn usage(message: &str) -> String {
    let error = json!({
        "code": "usage",
        "message": message,
        "causes": [],
        "help": null,
        "place": null,
        "diagnostics": [],
    });
    format!(
        "{:#}\n",
        json!({"command": null, "ok": false, "error": error})
    )
}

/// An error as programs read it.
fn described(error: &Error) -> Value {
    let diagnostics: &[_] = match error {
        Error::Problems(found) => &found.0,
        _ => &[],
    };
    let diagnostics: Vec<_> = diagnostics.iter().map(report::diagnostic).collect();
    json!({
        "code": error.code(),
        "message": error.to_string(),
        "causes": causes(error),
        "help": error.help(),
        "place": error.place().map(|(path, line)| json!({"path": path, "line": line})),
        "diagnostics": diagnostics,
    })
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
