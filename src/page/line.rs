//! A line of the operator's log: parsed from JSON, formatted as text for the terminal.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use k8s_openapi::jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::terminal::escaped_line;

/// Tracing targets of the lines that mark the start and the end of a reconcile. Operators before
/// 0.3.0 use the second.
const RECONCILES: [&str; 2] = [
    "rustop_manager::controller::reconcile",
    "manager::controller::reconcile",
];

/// A line of the operator's log, in the format of `LOG_FORMAT=json`.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct LogLine {
    /// For example `WARN`; empty if the operator's output is not a JSON log line.
    pub level: String,
    /// The module that wrote the line.
    pub target: String,
    /// The text of the line, without its fields.
    pub message: String,
    /// Fields other than those above.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
    /// Fields of the reconcile to which the line belongs.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub span: Map<String, Value>,
}

impl LogLine {
    /// Parses a line of the operator's output. Returns it with its timestamp in microseconds since
    /// 1970, or `None` if it has none. Any other text, such as a panic, becomes the `message` of a
    /// line whose other fields are empty.
    pub fn read(text: &str) -> (Self, Option<u64>) {
        let Ok(Value::Object(mut fields)) = serde_json::from_str(text) else {
            let message = text.to_owned();
            return (
                Self {
                    message,
                    ..Self::default()
                },
                None,
            );
        };
        let mut word = |name: &str| match fields.shift_remove(name) {
            Some(Value::String(word)) => word,
            _ => String::new(),
        };
        let at: Option<Timestamp> = word("timestamp").parse().ok();
        let (level, target, message) = (word("level"), word("target"), word("message"));
        let span = match fields.shift_remove("span") {
            Some(Value::Object(span)) => span,
            _ => Map::new(),
        };
        let line = Self {
            level,
            target,
            message,
            fields,
            span,
        };
        let at = at.and_then(|at| u64::try_from(at.as_microsecond()).ok());
        (line, at)
    }

    /// Returns a string field of the line or, if it has none, of its span.
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.get(name).or_else(|| self.span.get(name))?;
        found.as_str()
    }

    /// Returns true for the DEBUG lines that mark a reconcile. [`Self::filter`] enables them for
    /// the page; `rustop dev` does not print them.
    pub fn is_for_the_page(&self) -> bool {
        self.level == "DEBUG" && RECONCILES.contains(&self.target.as_str())
    }

    /// Extends the user's `RUST_LOG` value, `info` if it is empty, so that the operator also writes
    /// the lines that mark a reconcile.
    pub fn filter(of_user: &str) -> String {
        let of_user = if of_user.is_empty() { "info" } else { of_user };
        let [now, before] = RECONCILES;
        format!("{of_user},{now}=debug,{before}=debug")
    }

    /// Formats the line as the operator does with `LOG_FORMAT=text`. `at` is its timestamp in
    /// microseconds since 1970. Line feeds and control characters in its parts are escaped, so that
    /// the texts of objects, which others can write, begin no line and set no colors.
    pub fn text(&self, at: Option<u64>, is_colored: bool) -> String {
        if self.level.is_empty() {
            return self.message.clone();
        }
        let style = |style: Style| if is_colored { style } else { Style::new() };
        let (dim, level) = (style(Style::new().dimmed()), style(color(&self.level)));
        let at = at.and_then(|at| Timestamp::from_microsecond(i64::try_from(at).ok()?).ok());
        let at = at.map(|at| format!("{at:.6}")).unwrap_or_default();
        let name = escaped_line(&self.level);
        let mut text = format!("{dim}{at}{dim:#} {level}{name:>5}{level:#} ");
        if let Some(name) = self.span.get("name").and_then(Value::as_str) {
            let fields = self.span.iter().filter(|(name, _)| *name != "name");
            let _ = write!(text, "{}{{{}}}: ", escaped_line(name), joined(fields));
        }
        let [target, message] = [&self.target, &self.message].map(|it| escaped_line(it));
        let _ = write!(text, "{dim}{target}:{dim:#} {message}");
        if !self.fields.is_empty() {
            let _ = write!(text, " {}", joined(self.fields.iter()));
        }
        text
    }
}

fn joined<'a>(fields: impl Iterator<Item = (&'a String, &'a Value)>) -> String {
    let words = fields.map(|(name, value)| match value.as_str() {
        Some(text) => format!("{name}={text}"),
        None => format!("{name}={value}"),
    });
    escaped_line(&words.collect::<Vec<_>>().join(" "))
}

fn color(level: &str) -> Style {
    let color = match level {
        "ERROR" => AnsiColor::Red,
        "WARN" => AnsiColor::Yellow,
        "INFO" => AnsiColor::Green,
        "DEBUG" => AnsiColor::Blue,
        _ => AnsiColor::Magenta,
    };
    color.on_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"timestamp":"2026-01-02T03:04:05.000006Z","level":"WARN","message":"reconcile failed: no","retry_in":"200ms","target":"t::c","span":{"cause":"start","controller":"cow","object":"ns/a","reconcile_id":"00ff","name":"reconcile"}}"#;

    #[test]
    fn json_lines_are_formatted_like_text_lines() {
        let (line, at) = LogLine::read(LINE);
        assert_eq!(at, Some(1_767_323_045_000_006));
        assert_eq!(line.field("reconcile_id"), Some("00ff"));
        assert_eq!(
            line.text(at, false),
            "2026-01-02T03:04:05.000006Z  WARN reconcile{cause=start controller=cow object=ns/a reconcile_id=00ff}: t::c: reconcile failed: no retry_in=200ms"
        );
        assert!(line.text(at, true).contains("\u{1b}[33m"));
    }

    #[test]
    fn lines_that_are_not_json_stay_unchanged() {
        for text in ["thread 'main' panicked", "[1]", "", "{"] {
            let (line, at) = LogLine::read(text);
            assert_eq!((line.text(at, true).as_str(), at), (text, None));
        }
    }
}
