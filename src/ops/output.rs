//! The output of commands for programs. A command with `--output json` prints one document, which
//! is built here from the fields that its operation has reported to the session, and from the
//! error.

use std::error::Error as _;
use std::iter::successors;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Map, Value, json};

use super::{Error, Refusal, Result};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::report;
use crate::error::{causes, help};
use crate::session::Session;
use crate::tree::Change;

/// The format of the report on stdout.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Output {
    /// Text for people: a diff for a check, and nothing for other runs.
    #[default]
    Text,
    /// JSON for programs: all changes and diagnostics.
    Json,
    /// SARIF 2.1.0 for code scanning.
    Sarif,
}

impl Output {
    /// Returns the report for programs, or `None` if the format is for people. `written` is false
    /// if `changes` were only planned.
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

/// Prints the JSON document of a command that has ended. Later versions may add fields to it, but
/// do not change any.
///
/// # Errors
/// Returns an error if stdout cannot be written.
pub fn print(session: &Session, command: &str, result: &Result<ExitCode>) -> Result<()> {
    let mut document = Map::new();
    document.insert("command".to_owned(), command.into());
    let is_ok = matches!(result, Ok(code) if *code == ExitCode::SUCCESS);
    document.insert("ok".to_owned(), is_ok.into());
    let error = result.as_ref().err().map_or(Value::Null, described);
    document.insert("error".to_owned(), error);
    if let Some(mut results) = session.results() {
        document.append(&mut results);
    }
    let text = format!("{:#}\n", Value::Object(document));
    Ok(session.terminal.document(&text)?)
}

/// Returns the JSON document for a command line that cannot be parsed.
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

/// Converts an error to JSON.
fn described(error: &Error) -> Value {
    let diagnostics: &[_] = match error.unwrapped() {
        Error::Problems(found) => &found.0,
        _ => &[],
    };
    let diagnostics: Vec<_> = diagnostics.iter().map(report::diagnostic).collect();
    json!({
        "code": error.code(),
        "message": error.to_string(),
        "causes": causes(error),
        "help": help(error),
        "place": error.place().map(|(path, line)| json!({"path": path, "line": line})),
        "diagnostics": diagnostics,
    })
}

/// Returns the diagnostics of a failed run, for programs that do not read stderr. Stale files are
/// not among them, since they are reported as changes.
pub fn found_by(error: &Error) -> Vec<Diagnostic> {
    match error.unwrapped() {
        Error::Problems(found) => found.0.clone(),
        Error::Refusal(Refusal::Drift { .. }) => Vec::new(),
        error => {
            let causes = successors(error.source(), |cause| (**cause).source());
            let message = causes.fold(error.to_string(), |message, cause| {
                format!("{message}: {cause}")
            });
            let mut diagnostic = Diagnostic::file(Path::new("."), message);
            diagnostic.help = help(error);
            vec![diagnostic]
        }
    }
}
