//! Parsing of YAML that can be as large as all CRDs of a cluster, and nested as deeply as a CRD.
//! The parser's default limits are 250,000 values, which 1,000 CRDs have, and 64 mappings and lists
//! inside each other, which a schema with 29 objects has.

use std::path::Path;
use std::thread;

use serde::de::{DeserializeOwned, Error as _};
use serde_yaml::Error;

use crate::text::STACK;

/// The maximum nesting depth of mappings and lists: a schema with 498 objects in each other. The
/// API server reads ten times as many, but code here recurses. In JSON and other flow style, the
/// parser itself reads 256.
const DEEPEST: usize = 1_000;

/// The parser's messages about a text that exceeds its limits.
const TOO_MUCH: [&str; 2] = ["budget breached", "alias replay limit"];

/// Parses all documents of a text. As for kubectl, `0644` is an octal number.
///
/// # Errors
/// Returns an error if the text is not YAML of the requested type, or if it is nested more deeply
/// than [`DEEPEST`].
pub fn documents<T: DeserializeOwned + Send>(text: &str) -> Result<Vec<T>, Error> {
    within_limits(|budget| {
        let options = serde_yaml::options! { budget: budget, legacy_octal_numbers: true };
        serde_yaml::from_multiple_with_options(text, options)
    })
}

/// Parses a text with one document. The last of several equal keys wins, and `0644` is an octal
/// number, as for kubectl and helm.
///
/// # Errors
/// Returns the errors of [`documents`].
pub fn with_last_keys<T: DeserializeOwned + Send>(text: &str) -> Result<T, Error> {
    within_limits(|budget| {
        let options = serde_yaml::options! {
            budget: budget,
            duplicate_keys: serde_yaml::DuplicateKeyPolicy::LastWins,
            legacy_octal_numbers: true,
        };
        serde_yaml::from_str_with_options(text, options)
    })
}

/// Parses with the limits of the parser and, if the text exceeds them, with those for large texts.
fn within_limits<T: Send>(
    parse: impl Fn(Option<serde_yaml::Budget>) -> Result<T, Error> + Sync,
) -> Result<T, Error> {
    match parse(serde_yaml::Options::default().budget) {
        Err(error) if is_over_budget(&error) => with_stack(|| parse(large())),
        parsed => parsed,
    }
}

/// Returns the limits of the parser for large and deeply nested texts.
fn large() -> Option<serde_yaml::Budget> {
    serde_yaml::budget! { max_nodes: 2_000_000, max_events: 4_000_000, max_depth: DEEPEST }
}

/// Runs a parser in a thread with a stack for deep nesting. The parser is recursive.
///
/// # Errors
/// Returns the error of the parser, or an error if no thread can be started.
pub fn with_stack<T: Send>(parse: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK);
        match thread.spawn_scoped(scope, parse) {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(Error::custom(error)),
        }
    })
}

/// The parser's messages about a value of another type, and what a user has to write instead.
const NEEDED: [(&str, &str); 4] = [
    (
        "expected mapping start",
        "a mapping (`key: value`) is needed here",
    ),
    ("expected sequence start", "a list is needed here"),
    ("expected string scalar", "a text is needed here"),
    ("invalid boolean", "`true` or `false` is needed here"),
];

/// A problem in a file that users write.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Problem {
    /// The line of the problem, from 1; `None` if it is not known.
    pub line: Option<usize>,
    /// The description, in one line.
    pub reason: String,
}

impl Problem {
    /// Returns the place of the problem: `PROJECT:12`, or the path alone.
    pub fn place(&self, path: &Path) -> String {
        let path = path.display();
        match self.line {
            Some(line) => format!("{path}:{line}"),
            None => path.to_string(),
        }
    }

    /// Adds a text before the reason, without a space between them.
    pub fn prefixed(self, words: &str) -> Self {
        let reason = format!("{words}{}", self.reason);
        Self { reason, ..self }
    }
}

impl From<String> for Problem {
    fn from(reason: String) -> Self {
        Self { line: None, reason }
    }
}

impl From<&Error> for Problem {
    fn from(error: &Error) -> Self {
        let line = error.location().map(|location| location.line());
        let line = line.and_then(|line| usize::try_from(line).ok());
        Self {
            line: line.filter(|line| *line > 0),
            reason: over_limit(error).unwrap_or_else(|| words(error)),
        }
    }
}

/// Returns the message of the parser in the words of users, without the line.
fn words(error: &Error) -> String {
    let error = error.without_snippet();
    let text = error.render_with_formatter(&serde_yaml::UserMessageFormatter);
    let line = text.lines().next().unwrap_or_default();
    let line = line.trim_start_matches("error: ");
    let message = line.rsplit_once(" at line ").map_or(line, |(it, _)| it);
    let needed = NEEDED.iter().find(|(of_parser, _)| *of_parser == message);
    needed.map_or(message, |(_, needed)| needed).to_owned()
}

/// Returns the reason of an error in one line, with its place in the text if the parser names it.
pub fn reason(error: &Error) -> String {
    over_limit(error).unwrap_or_else(|| first_line(error))
}

fn over_limit(error: &Error) -> Option<String> {
    if is_too_deep(error) {
        let reason = "mappings and lists are nested too deeply; rustop reads 1,000 levels in block style, \
                      and at least 120 in JSON and other flow style";
        return Some(reason.to_owned());
    }
    too_much(error)
}

/// Returns the reason, with its place, if the parser stopped because the text has too many values,
/// as one with aliases of aliases has. `None` for other errors.
pub fn too_much(error: &Error) -> Option<String> {
    let line = first_line(error);
    let (place, _) = TOO_MUCH.iter().find_map(|words| line.split_once(words))?;
    Some(format!(
        "{place}with its aliases expanded, the text is too large to read"
    ))
}

fn first_line(error: &Error) -> String {
    let text = error.without_snippet().to_string();
    let line = text.lines().next().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

/// Reports whether the parser stopped because of the nesting depth.
pub fn is_too_deep(error: &Error) -> bool {
    let text = error.to_string();
    text.contains("recursion limit exceeded") || is_over_budget(error) && text.contains("Depth")
}

/// Reports whether the parser stopped because of one of its limits.
fn is_over_budget(error: &Error) -> bool {
    error.to_string().contains("budget breached")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn nested(depth: usize) -> String {
        let text = (0..depth).fold(json!(1), |inside, _| json!({ "a": inside }));
        crate::yaml::write(&text)
    }

    #[test]
    fn numbers_with_a_leading_zero_are_octal() {
        let text = "a: 0644\nb: 08\nc: '0644'\n";
        let expected = json!({"a": 420, "b": 8.0, "c": "0644"});
        let read = documents::<Value>(text).unwrap();
        assert_eq!(read, std::slice::from_ref(&expected));
        assert_eq!(with_last_keys::<Value>(text).unwrap(), expected);
    }

    #[test]
    fn a_text_as_deep_as_the_limit_is_read() {
        for depth in [64, 65, DEEPEST] {
            let read = documents::<Value>(&nested(depth));
            assert_eq!(read.unwrap().len(), 1, "{depth}");
        }
        let error = documents::<Value>(&nested(DEEPEST + 1)).unwrap_err();
        assert!(is_too_deep(&error), "{error}");
    }

    #[test]
    fn json_that_is_nested_too_deeply_is_refused_for_that_reason() {
        let json = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        assert!(documents::<Value>(&json(120)).is_ok());
        for depth in [300, 2_000] {
            let error = documents::<Value>(&json(depth)).unwrap_err();
            let reason = reason(&error);
            assert!(reason.contains("nested too deeply"), "{depth}: {reason}");
        }
    }

    #[test]
    fn a_text_with_the_values_of_a_thousand_crds_is_read() {
        let text = "- 1\n".repeat(300_000);
        let read = documents::<Value>(&text).unwrap();
        assert_eq!(read[0].as_array().unwrap().len(), 300_000);
    }
}
