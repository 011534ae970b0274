//! Machine-readable reports of `rustop manifests`, and the values of changed files and diagnostics
//! in the JSON documents of all commands.

mod sarif;

use serde::Serialize;
use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, Severity};
use crate::tree::Change;

pub use sarif::sarif;

#[derive(Serialize)]
struct ChangeView<'a> {
    /// The path relative to the project.
    path: &'a str,
    /// `create`, `update` or `remove`.
    action: &'static str,
    diff: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DiagnosticView<'a> {
    /// `error` or `warning`.
    severity: &'static str,
    /// The rule, as in `rustop explain`; `null` if the diagnostic has none.
    rule: Option<&'static str>,
    message: &'a str,
    help: Option<String>,
    /// The path relative to the project, with `/` as separator.
    path: String,
    /// The line, counted from 1; `null` if the diagnostic concerns the whole file.
    line: Option<usize>,
    /// The column in characters, counted from 1.
    column: Option<usize>,
    /// The column after the last character.
    end_column: Option<usize>,
}

/// Returns the JSON value of a changed file.
pub fn change(change: &Change) -> Value {
    json!(ChangeView::of(change))
}

/// Returns the JSON value of a diagnostic.
pub fn diagnostic(diagnostic: &Diagnostic) -> Value {
    json!(DiagnosticView::of(diagnostic))
}

/// Returns the JSON report: an object with `diagnostics` and `changes`; the latter were made if
/// `written` is true. The format is stable: fields may be added, but existing ones will not change.
pub fn json(changes: &[Change], written: bool, diagnostics: &[Diagnostic]) -> String {
    let changes: Vec<_> = changes.iter().map(ChangeView::of).collect();
    let diagnostics: Vec<_> = diagnostics.iter().map(DiagnosticView::of).collect();
    let report = json!({"written": written, "changes": changes, "diagnostics": diagnostics});
    format!("{report:#}\n")
}

impl<'a> ChangeView<'a> {
    fn of(change: &'a Change) -> Self {
        Self {
            path: &change.path,
            action: match (&change.before, &change.after) {
                (None, _) => "create",
                (Some(_), Some(_)) => "update",
                (Some(_), None) => "remove",
            },
            diff: change.diff().to_string(),
        }
    }
}

impl<'a> DiagnosticView<'a> {
    fn of(diagnostic: &'a Diagnostic) -> Self {
        Self {
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            rule: diagnostic.rule.map(|rule| rule.id),
            message: &diagnostic.message,
            help: diagnostic.whole_help(),
            path: slashes(diagnostic),
            line: diagnostic.line(),
            column: diagnostic.column(),
            end_column: diagnostic.end_column(),
        }
    }
}

/// Returns the path of a diagnostic with `/` as separator.
fn slashes(diagnostic: &Diagnostic) -> String {
    let parts = diagnostic.path.iter().map(|part| part.to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests;
