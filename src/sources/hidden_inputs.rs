//! Finds calls in controllers and webhooks that read the machine's clock, or random numbers without
//! a seed. A test cannot set either, and a simulation cannot repeat them.
//!
//! As in [`super::kind_usage`], the file is not parsed, and names that cannot be resolved are
//! ignored.

use std::ops::Range;
use std::path::Path;

use super::kind_usage::{full_path, imports, is_identifier, is_test, program};
use crate::diagnostic::Place;

/// A value that code reads from the machine instead of its arguments.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Input {
    Clock,
    Random,
}

/// A call that returns such a value, with its location.
#[derive(Clone, Debug)]
pub struct HiddenInput {
    /// The location of the function's path in the source.
    pub place: Place,
    pub input: Input,
}

/// The functions, by the end of their full path: several crates re-export jiff and chrono.
const FUNCTIONS: [(&str, Input); 11] = [
    ("std::time::Instant::now", Input::Clock),
    ("std::time::SystemTime::now", Input::Clock),
    ("chrono::Local::now", Input::Clock),
    ("chrono::Utc::now", Input::Clock),
    ("jiff::Timestamp::now", Input::Clock),
    ("jiff::Zoned::now", Input::Clock),
    ("time::OffsetDateTime::now_utc", Input::Clock),
    ("rand::random", Input::Random),
    ("rand::random_range", Input::Random),
    ("rand::rng", Input::Random),
    ("rand::thread_rng", Input::Random),
];

/// The directories of the code to which the manager passes a clock.
const DIRECTORIES: [&str; 2] = ["controllers", "webhooks"];

/// Returns the calls of such functions in a file, each as the byte range of the function's path, in
/// the order of the text; none if the file is neither a controller nor a webhook, or contains only
/// tests.
pub fn find(path: &Path, text: &str) -> Vec<(Range<usize>, Input)> {
    let is_there = DIRECTORIES.iter().any(|name| {
        let mut directories = path.parent().into_iter().flat_map(Path::components);
        directories.any(|directory| directory.as_os_str() == *name)
    });
    let is_likely = ["now", "rand", "rng"].iter().any(|it| text.contains(it));
    if !is_there || !is_likely || is_test(path) {
        return Vec::new();
    }
    let code = program(text);
    let imports = imports(&code);
    let calls = code.match_indices('(').filter_map(|(at, _)| {
        let span = called(&code, at)?;
        let path = full_path(&imports, &code[span.clone()]);
        let is_it = |function: &str| {
            let before = path.strip_suffix(function);
            before.is_some_and(|before| before.is_empty() || before.ends_with("::"))
        };
        let (_, input) = FUNCTIONS.iter().find(|(function, _)| is_it(function))?;
        Some((span, *input))
    });
    calls.collect()
}

/// Returns the path of the function that is called by the bracket at `at`; `None` for a method and
/// for a definition.
fn called(code: &str, at: usize) -> Option<Range<usize>> {
    let mut before = code[..at].trim_end();
    if let Some((path, _)) = before
        .strip_suffix('>')
        .and_then(|it| it.rsplit_once("::<"))
    {
        before = path;
    }
    let rest = before.trim_end_matches(|c| is_identifier(c) || c == ':');
    let is_call = !rest.ends_with('.') && !rest.trim_end().ends_with("fn");
    (is_call && rest.len() < before.len()).then_some(rest.len()..before.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<(String, Input)> {
        let found = find(Path::new(path), text).into_iter();
        found
            .map(|(span, input)| (text[span].to_owned(), input))
            .collect()
    }

    #[test]
    fn calls_are_found_under_any_name() {
        let text = r"
use std::time::{Instant as Start, SystemTime};
use k8s_openapi::{api::core::v1::Pod, jiff};
use chrono::Utc;
use rand::rng;
fn f() {
    let a = (Start::now(), SystemTime::now(), jiff::Timestamp::now(), Utc::now());
    let b = rand::random::<u32>() + rng().next_u32();
    let c = rustop_manager::jiff::Timestamp::now();
}
";
        let calls = found("src/controllers/cow.rs", text);
        let names: Vec<_> = calls.iter().map(|(name, _)| name.as_str()).collect();
        let clocks = [
            "Start::now",
            "SystemTime::now",
            "jiff::Timestamp::now",
            "Utc::now",
        ];
        let last = "rustop_manager::jiff::Timestamp::now";
        assert_eq!(
            names,
            [&clocks[..], &["rand::random", "rng", last]].concat()
        );
        let random = calls.iter().filter(|(_, input)| *input == Input::Random);
        assert_eq!(random.count(), 2);
    }

    #[test]
    fn other_functions_of_these_names_are_ignored() {
        let text = r#"
use tokio::time::Instant;
fn rng() -> Rng { ctx.random() }
fn now() {
    // SystemTime::now()
    let a = (Instant::now(), ctx.now(), rng(), now(), "std::time::SystemTime::now()");
    let b: fn() -> std::time::SystemTime = std::time::SystemTime::now;
}
#[cfg(test)]
mod tests {
    fn now() { std::time::SystemTime::now(); }
}
"#;
        assert_eq!(found("src/controllers/cow.rs", text), []);
    }

    #[test]
    fn only_controllers_and_webhooks_are_searched() {
        let text = "fn f() { std::time::SystemTime::now(); }";
        assert_eq!(found("src/webhooks/cow/validation.rs", text).len(), 1);
        for path in ["src/main.rs", "src/cloud.rs", "src/controllers/tests.rs"] {
            assert_eq!(found(path, text), [], "{path}");
        }
    }
}
