//! Finds the markers in a Rust source file.
//!
//! A marker is a line comment (`//`, `///`, `//!`) that stands on its own line and begins with
//! `+kubebuilder:`. It may stand anywhere: above a function, in its body, in a test. Anything else
//! that looks like a marker gets a diagnostic, because it would be ignored silently: a misspelled
//! name, a block comment, a comment after code, a line of a string. A marker that is commented out
//! (`// // +kubebuilder:…`) or in backticks is ignored.
//!
//! The file is not parsed, only split into code, comments, strings and characters, so it does not
//! have to compile.

mod attributes;
pub mod lexer;
mod name;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Place, SourceLine};
use crate::sources::allow::{self, Allow};
use crate::sources::hidden_inputs::{self, HiddenInput};
use crate::sources::kind_usage::{self, Use};
use crate::sources::marker::{Problem, Text};
use lexer::{NonCode, for_each_non_code};
use name::{CommentKind, classify};

pub use name::MarkerKind;

/// A marker with a known name and unparsed arguments.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Marker {
    /// The line with the marker.
    pub line: Arc<SourceLine>,
    /// The byte offset of the arguments in the line, to whose end they extend.
    pub arguments: usize,
    pub kind: MarkerKind,
}

impl Marker {
    /// Returns the text of the arguments.
    pub fn arguments(&self) -> &str {
        &self.line.text[self.arguments..]
    }

    /// Creates a diagnostic for a problem in the arguments.
    pub fn diagnostic(&self, problem: Problem) -> Diagnostic {
        problem.in_line(&self.line, self.arguments)
    }
}

/// The results of scanning one or more files.
#[derive(Debug, Default)]
pub struct Scan {
    /// The markers, in the order of the files.
    pub markers: Vec<Marker>,
    /// The suppressions of warnings.
    pub allows: Vec<Allow>,
    /// The kinds that the code watches, writes, or uses through an `Api`.
    pub uses: Vec<Use>,
    /// The calls in controllers and webhooks that read the machine's clock or random numbers.
    pub hidden_inputs: Vec<HiddenInput>,
    /// Strings that look like URL paths, except for those in tests.
    pub routes: BTreeSet<String>,
    /// In no particular order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Scans a file with this text. `path` is its name in diagnostics, and decides if it is a test.
pub fn scan(path: &Path, text: &str) -> Scan {
    let mut scanner = Scanner {
        path,
        text,
        last: None,
        scan: Scan::default(),
    };
    for_each_non_code(text.as_bytes(), |token, span| match token {
        NonCode::Line => scanner.line_comment(span),
        NonCode::Block => scanner.block(span),
        NonCode::String => scanner.string(span),
        NonCode::Character => {}
    });
    scanner.uses();
    scanner.hidden_inputs();
    scanner.scan
}

struct Scanner<'a> {
    path: &'a Path,
    text: &'a str,
    /// The most recently requested line; line numbers are counted from there.
    last: Option<(Range<usize>, Arc<SourceLine>)>,
    scan: Scan,
}

impl Scanner<'_> {
    fn line_comment(&mut self, span: Range<usize>) {
        let comment = &self.text[span.clone()];
        let text = comment_text(comment);
        if text.starts_with("rustop:") {
            return self.allow(comment, span.start);
        }
        if !text.starts_with(['+', 'k', 'K']) {
            return;
        }
        let found = classify(text.trim_end());
        if matches!(found, CommentKind::Nothing) {
            return;
        }
        let (line, start) = self.source_line(span.start);
        let text_at = span.end - text.len() - start;
        let marker = text_at..line.text.len();
        if is_behind_code(&line, span.start - start) {
            let message = "a marker after code is not read";
            let help = match found {
                CommentKind::Problem(Problem {
                    help: Some(help), ..
                }) => {
                    format!("put it on a line of its own, and {help}")
                }
                _ => format!("put it on a line of its own: `// {}`", text.trim_end()),
            };
            self.scan
                .diagnostics
                .push(Diagnostic::at(&line, marker, message).help(help));
            return;
        }
        match found {
            CommentKind::Nothing => {}
            CommentKind::Marker(kind, at) => {
                self.scan.markers.push(Marker {
                    line,
                    arguments: text_at + at,
                    kind,
                });
                if text.trim_end().ends_with([';', ',', '{', '=']) {
                    self.continued(span.end);
                }
            }
            CommentKind::Problem(problem) => {
                self.scan.diagnostics.push(problem.in_line(&line, text_at));
            }
        }
    }

    /// Reports the line below a marker that ended at `end` if it looks like a continuation:
    /// `verbs=get;` followed by `list;watch`.
    fn continued(&mut self, end: usize) {
        let below = self.text[end..].trim_start_matches('\r');
        let below = below.strip_prefix('\n').unwrap_or(below);
        let line = below.lines().next().unwrap_or_default();
        let more = comment_text(line.trim()).trim_end();
        let is_more = line.trim_start().starts_with("//")
            && !more.is_empty()
            && !more.starts_with('+')
            && !more.contains(char::is_whitespace);
        if is_more {
            let at = self.text.len() - below.len();
            let message = "a marker ends with its line: this is not read";
            let help = "write it behind the marker, on the same line";
            self.misplaced(at, line, more, message, help);
        }
    }

    /// Parses a comment that may be a suppression.
    fn allow(&mut self, comment: &str, at: usize) {
        let text = comment_text(comment).trim_end();
        let Some(rules) = allow::read(text) else {
            return;
        };
        let (line, start) = self.source_line(at);
        let column = at - start;
        let text_at = column + comment.len() - comment_text(comment).len();
        let elsewhere =
            |message, help: &str| Err(Problem::new(0..text.len(), message).help(help.to_owned()));
        let rules = if is_behind_code(&line, column) {
            elsewhere(
                "a suppression after code is not read",
                "put it on the line above",
            )
        } else if !comment[2..].starts_with(|c: char| c.is_whitespace() || c == 'r') {
            elsewhere(
                "a suppression in a doc comment is not read",
                "write it after `//`",
            )
        } else {
            rules
        };
        match rules {
            Ok(rules) => {
                let below = self.text[at..].lines().skip(1);
                let shifted = |Text { text, span }: Text| Text {
                    text,
                    span: text_at + span.start..text_at + span.end,
                };
                self.scan.allows.push(Allow {
                    holds: allow::Scope::Lines(line.number + 1..=line.number + allow::reach(below)),
                    rules: rules.into_iter().map(shifted).collect(),
                    line,
                });
            }
            Err(problem) => self.scan.diagnostics.push(problem.in_line(&line, text_at)),
        }
    }

    /// Reports markers in a block comment.
    fn block(&mut self, span: Range<usize>) {
        for (at, text) in lines(self.text, span) {
            let inner = text.trim_start_matches(|c: char| c.is_whitespace() || "/*!".contains(c));
            let inner = inner.trim_end();
            let inner = inner.strip_suffix("*/").unwrap_or(inner).trim_end();
            let help = match classify(inner) {
                CommentKind::Nothing => continue,
                CommentKind::Problem(Problem {
                    help: Some(help), ..
                }) => {
                    format!("write it as a line comment, and {help}")
                }
                _ => format!("write it as a line comment: `// {inner}`"),
            };
            let message = "a marker in a block comment is not read";
            self.misplaced(at, text, inner, message, &help);
        }
    }

    /// Reports markers in a string. Ignores text with a placeholder, because a program may well
    /// generate markers.
    fn string(&mut self, span: Range<usize>) {
        let inner = &self.text[span.start + 1..span.end];
        if inner.starts_with('/') && !kind_usage::is_test(self.path) {
            let route = inner.trim_end_matches('#').trim_end_matches('"');
            self.scan.routes.insert(route.to_owned());
        }
        for (at, text) in lines(self.text, span.start + 1..span.end) {
            let inner = comment_text(text.trim());
            let inner = inner.trim_end_matches(['"', '#']).trim_end();
            if let CommentKind::Marker(..) = classify(inner)
                && !inner.contains('{')
            {
                let help = "write it as a `//` comment on a line of its own; if it is none, take it \
                            apart: `concat!(\"+\", \"kubebuilder…\")`";
                self.misplaced(at, text, inner, "a marker in a string is not read", help);
            }
        }
    }

    fn uses(&mut self) {
        self.last = None;
        for found in kind_usage::find(self.path, self.text) {
            let place = self.place(found.span.clone());
            self.scan.uses.push(Use { place, found });
        }
    }

    fn hidden_inputs(&mut self) {
        self.last = None;
        for (span, input) in hidden_inputs::find(self.path, self.text) {
            let place = self.place(span);
            self.scan.hidden_inputs.push(HiddenInput { place, input });
        }
    }

    /// Returns the location of a part of a line. Must be called with ascending positions.
    fn place(&mut self, span: Range<usize>) -> Place {
        let (line, start) = self.source_line(span.start);
        let span = span.start - start..span.end - start;
        Place { line, span }
    }

    /// Reports the marker `inner` inside of a text that begins at `at`.
    fn misplaced(&mut self, at: usize, text: &str, inner: &str, message: &str, help: &str) {
        let at = at + text.find(inner).unwrap_or(0);
        let (line, start) = self.source_line(at);
        let span = at - start..at - start + inner.len();
        let diagnostic = Diagnostic::at(&line, span, message).help(help);
        self.scan.diagnostics.push(diagnostic);
    }

    /// Returns the line at a position and the position of its start. Must be called with ascending
    /// positions.
    fn source_line(&mut self, at: usize) -> (Arc<SourceLine>, usize) {
        if let Some((span, line)) = &self.last
            && span.contains(&at)
        {
            return (Arc::clone(line), span.start);
        }
        let (from, before) = self
            .last
            .as_ref()
            .map_or((0, 1), |(span, line)| (span.start, line.number));
        let start = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let end = self.text[at..]
            .find('\n')
            .map_or(self.text.len(), |length| at + length);
        let line = Arc::new(SourceLine {
            path: self.path.to_owned(),
            number: before + self.text[from..start].matches('\n').count(),
            text: self.text[start..end].trim_end_matches('\r').to_owned(),
        });
        self.last = Some((start..end, Arc::clone(&line)));
        (line, start)
    }
}

/// Returns the lines of a part of the file with their positions; none if the part contains no
/// marker.
fn lines(text: &str, span: Range<usize>) -> impl Iterator<Item = (usize, &str)> {
    let piece = &text[span.clone()];
    let piece = if piece.contains("+kubebuilder:") {
        piece
    } else {
        ""
    };
    piece.split_inclusive('\n').scan(span.start, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    })
}

/// Returns true if the line contains anything but whitespace before a column.
fn is_behind_code(line: &SourceLine, column: usize) -> bool {
    let before = line.text[..column].trim_start_matches('\u{feff}');
    !before.trim().is_empty()
}

/// Returns true if the text of a comment is treated as a marker or as a suppression, valid or not.
pub fn is_directive(text: &str) -> bool {
    !matches!(classify(text.trim()), CommentKind::Nothing) || allow::read(text.trim()).is_some()
}

/// Returns the text of a comment after `//`, `///` or `//!`.
fn comment_text(comment: &str) -> &str {
    let text = comment.strip_prefix("//").unwrap_or(comment);
    let text = text.strip_prefix(['/', '!']).unwrap_or(text);
    text.trim_start()
}

#[cfg(test)]
mod tests;
