//! What `rustop manifests` found and did, for programs.

mod sarif;

use serde::Serialize;
use serde_json::json;

use crate::diagnostic::{Diagnostic, Severity};
use crate::tree::Change;

pub use sarif::sarif;

/// One file that changes.
#[derive(Serialize)]
struct ChangeView<'a> {
    /// Relative to the project.
    path: &'a str,
    /// `create`, `update` or `remove`.
    action: &'static str,
    /// A unified diff.
    diff: String,
}

/// One thing that was found.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DiagnosticView<'a> {
    /// `error` or `warning`.
    severity: &'static str,
    /// The rule, where it is one of `rustop explain`.
    rule: Option<&'static str>,
    message: &'a str,
    help: Option<&'a str>,
    /// Relative to the project, with `/`.
    path: String,
    /// From 1; without one it is about the whole file.
    line: Option<usize>,
    /// In characters, from 1.
    column: Option<usize>,
    /// Behind the last character.
    end_column: Option<usize>,
}

/// A JSON object: `changes`, which are made where `written` is true, and `diagnostics`. Fields may be added,
/// none will change.
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
            help: diagnostic.help.as_deref(),
            path: slashes(diagnostic),
            line: diagnostic.line(),
            column: diagnostic.column(),
            end_column: diagnostic.end_column(),
        }
    }
}

fn slashes(diagnostic: &Diagnostic) -> String {
    let parts = diagnostic.path.iter().map(|part| part.to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests;
