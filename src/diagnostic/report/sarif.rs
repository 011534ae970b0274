//! A report in SARIF 2.1.0, the format of code scanning:
//! <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.

use serde_json::{Value, json};

use super::slashes;
use crate::diagnostic::lints;
use crate::diagnostic::{Diagnostic, Severity};
use crate::tree::Change;

/// The rule ID of errors without a rule, which cannot be suppressed.
const INVALID: &str = "invalid-source";

/// The rule ID of files that differ from the text that the sources generate.
const STALE: &str = "stale-file";

/// Returns a SARIF log of one run. A change that was not written is reported as a stale file.
pub fn sarif(changes: &[Change], written: bool, diagnostics: &[Diagnostic]) -> String {
    let stale = changes.iter().filter(|_| !written).map(|change| {
        let text = "the file differs from the text that the sources generate; `rustop manifests` writes it";
        result(
            STALE,
            "error",
            text,
            &json!({"artifactLocation": location(&change.path)}),
        )
    });
    let results: Vec<_> = diagnostics.iter().map(of_diagnostic).chain(stale).collect();
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "rustop", "version": env!("CARGO_PKG_VERSION"), "rules": rules()}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

/// Returns the descriptions of all rules that a result can name.
fn rules() -> Vec<Value> {
    let own = [
        (
            INVALID,
            "sources that cannot be read or that contain an error",
        ),
        (
            STALE,
            "a generated file that differs from the text that the sources generate",
        ),
    ];
    let own = own
        .into_iter()
        .map(|(id, finds)| json!({"id": id, "shortDescription": {"text": finds}}));
    let lints = lints::all().map(|lint| {
        json!({
            "id": lint.id,
            "shortDescription": {"text": lint.finds},
            "fullDescription": {"text": lint.why},
            "help": {"text": format!("{} `rustop explain {}` explains how to suppress it.", lint.why, lint.id)},
        })
    });
    own.chain(lints).collect()
}

fn of_diagnostic(diagnostic: &Diagnostic) -> Value {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let text = match diagnostic.whole_help() {
        Some(help) => format!("{}; {help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    let mut place = json!({"artifactLocation": location(&slashes(diagnostic))});
    if let Some(line) = diagnostic.line() {
        place["region"] = json!({
            "startLine": line,
            "startColumn": diagnostic.column(),
            "endColumn": diagnostic.end_column(),
        });
    }
    let rule = diagnostic.rule.map_or(INVALID, |rule| rule.id);
    result(rule, level, &text, &place)
}

fn result(rule: &str, level: &str, text: &str, place: &Value) -> Value {
    json!({
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    })
}

/// Returns a location relative to the project, percent-encoded as a URI.
fn location(path: &str) -> Value {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let encoded = path.bytes().map(|byte| {
        if plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    });
    json!({"uri": encoded.collect::<String>(), "uriBaseId": "%SRCROOT%"})
}
