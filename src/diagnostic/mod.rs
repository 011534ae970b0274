//! Diagnostics: problems in source files, with their location and a suggested fix.
//!
//! No diagnostic aborts a run. They are collected, sorted and displayed together.

pub mod bug_class;
mod lint;
pub mod lints;
mod problems;
pub mod report;

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::terminal::escaped_line;
use crate::text::indented;
pub use lint::Lint;
pub use problems::Problems;

/// A line of a source file. Only the lines that diagnostics refer to are kept in memory.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct SourceLine {
    /// The file, relative to the project.
    pub path: PathBuf,
    /// The line number, counted from 1.
    pub number: usize,
    /// The text of the line, without the line break.
    pub text: String,
}

/// A problem in a source file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Diagnostic {
    /// The file, relative to the project.
    pub path: PathBuf,
    /// The location; `None` if the problem concerns the whole file.
    pub place: Option<Place>,
    pub severity: Severity,
    /// The rule that found the problem; `None` if it cannot be suppressed.
    pub rule: Option<&'static Lint>,
    /// The description: one line, lower case, no full stop.
    pub message: String,
    /// The literal command or text that fixes the problem: one line.
    pub help: Option<String>,
    /// Lines to add to a file, which are shown below the help.
    pub lines: Option<&'static str>,
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Severity {
    /// The run fails, and no file is written.
    Error,
    /// The diagnostic is displayed. It counts as an error only with `--deny-warnings`.
    Warning,
}

/// A part of a source line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Place {
    pub line: Arc<SourceLine>,
    /// The byte range to underline.
    pub span: Range<usize>,
}

impl Diagnostic {
    /// Creates an error at a byte range of a line.
    pub fn at(line: &Arc<SourceLine>, span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            path: line.path.clone(),
            place: Some(Place {
                line: Arc::clone(line),
                span,
            }),
            severity: Severity::Error,
            rule: None,
            message: message.into(),
            help: None,
            lines: None,
        }
    }

    /// Creates an error about a whole file.
    pub fn file(path: &Path, message: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            place: None,
            severity: Severity::Error,
            rule: None,
            message: message.into(),
            help: None,
            lines: None,
        }
    }

    /// Turns the diagnostic into a warning of a rule, which a comment can suppress.
    #[must_use]
    pub fn warning(mut self, rule: &'static Lint) -> Self {
        self.severity = Severity::Warning;
        self.rule = Some(rule);
        self
    }

    /// Adds a suggested fix.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds lines below the suggested fix, which are to be copied into a file. They are fixed: a
    /// text with names has one line.
    #[must_use]
    pub fn lines(mut self, lines: &'static str) -> Self {
        self.lines = Some(lines);
        self
    }

    /// Returns the beginning of the message, up to the first colon: the kind, version and field of
    /// a problem in a CRD. Returns the whole message if it has no colon.
    pub fn subject(&self) -> &str {
        let subject = self.message.split_once(": ");
        subject.map_or(&self.message, |(subject, _)| subject)
    }

    /// Returns the suggested fix with its lines.
    pub fn whole_help(&self) -> Option<String> {
        let help = self.help.as_ref()?;
        Some(format!("{help}{}", self.lines_below()))
    }

    /// Returns the lines below the suggested fix, as the end of its text.
    fn lines_below(&self) -> String {
        let below = |lines: &str| format!(":\n{}", indented(&lines.lines().collect::<Vec<_>>()));
        self.lines.map_or_else(String::new, below)
    }

    /// Returns the key by which diagnostics are sorted: file, line, column, message.
    pub fn sort_key(&self) -> (&Path, Option<usize>, Option<usize>, &str) {
        (&self.path, self.line(), self.column(), &self.message)
    }

    /// Returns the line number, counted from 1; `None` if the diagnostic concerns the whole file,
    /// as for the columns.
    pub fn line(&self) -> Option<usize> {
        self.place.as_ref().map(|place| place.line.number)
    }

    /// Returns the column in characters, counted from 1.
    pub fn column(&self) -> Option<usize> {
        let place = self.place.as_ref()?;
        Some(chars(&place.line.text, 0..place.span.start) + 1)
    }

    /// Returns the column after the last character, in characters, counted from 1.
    pub fn end_column(&self) -> Option<usize> {
        let place = self.place.as_ref()?;
        Some(chars(&place.line.text, 0..place.span.end) + 1)
    }
}

/// Formats the diagnostic as rustc does, without colors:
/// ```text
/// error: unknown argument `verb`
///   --> src/controllers/lolcow.rs:3:44
///    |
///  3 | // +kubebuilder:rbac:groups=apps,resources=deployments,verb=get
///    |                                                        ^^^^
/// help: did you mean `verbs`?
/// ```
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let rule = self.rule.map(|rule| format!("[{}]", rule.id));
        let rule = rule.unwrap_or_default();
        let message = escaped_line(&self.message);
        writeln!(f, "{}{rule}: {message}", self.severity)?;
        let path = escaped_line(&self.path.to_string_lossy());
        match &self.place {
            None => write!(f, "  --> {path}")?,
            Some(place) => {
                let number = place.line.number.to_string();
                let margin = " ".repeat(number.len() + 1);
                let column = self.column().unwrap_or(1);
                let (text, before, width) = place.window();
                writeln!(f, "{margin} --> {path}:{number}:{column}")?;
                writeln!(f, "{margin} |")?;
                writeln!(f, " {number} | {text}")?;
                write!(f, "{margin} | {}{}", " ".repeat(before), "^".repeat(width))?;
            }
        }
        if let Some(help) = &self.help {
            write!(f, "\nhelp: {}{}", escaped_line(help), self.lines_below())?;
        }
        Ok(())
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// Sorts diagnostics by location and removes duplicates. With `deny_warnings`, warnings become
/// errors. Returns the warnings.
///
/// # Errors
/// Returns all diagnostics, warnings included, if any is an error. The caller then writes no file.
pub fn sort_and_check(
    mut found: Vec<Diagnostic>,
    deny_warnings: bool,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    found.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    found.dedup();
    if deny_warnings {
        for diagnostic in &mut found {
            diagnostic.severity = Severity::Error;
        }
    }
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    if found.iter().any(is_error) {
        Err(found)
    } else {
        Ok(found)
    }
}

impl Place {
    /// Returns an error about this place.
    pub fn diagnostic(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::at(&self.line, self.span.clone(), message)
    }

    /// The maximum number of characters to display of a line; of a longer one, the part around the
    /// span is displayed.
    const WINDOW: usize = 160;

    /// Returns the text to display, the number of columns before the carets, and the number of
    /// carets.
    fn window(&self) -> (String, usize, usize) {
        let text = &self.line.text;
        let start = chars(text, 0..self.span.start);
        let width = chars(text, self.span.clone()).clamp(1, Self::WINDOW / 2);
        let first = if start + width <= Self::WINDOW {
            0
        } else {
            start - Self::WINDOW / 4
        };
        let shown = text
            .chars()
            .skip(first)
            .take(Self::WINDOW)
            .map(|c| match c {
                '\t' => ' ',
                // Control characters in a source file could manipulate the terminal.
                c if c.is_control() => '\u{fffd}',
                c => c,
            });
        (shown.collect(), start - first, width)
    }
}

/// Returns the number of characters that begin in a byte range.
fn chars(text: &str, span: Range<usize>) -> usize {
    text.char_indices()
        .filter(|(at, _)| span.contains(at))
        .count()
}

/// Returns the candidate that is most similar to a misspelled word, if there is a similar one.
pub fn did_you_mean<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    candidates
        .iter()
        .map(|candidate| (distance(&word, &candidate.to_lowercase()), *candidate))
        .filter(|(distance, candidate)| *distance <= 1.max(candidate.len() / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the edit distance of two words: the number of letters added, removed, changed or swapped
/// with their neighbor. It is `usize::MAX` for a word of more than 200 letters, since the time is
/// quadratic.
fn distance(a: &str, b: &str) -> usize {
    const LONGEST: usize = 200;
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len() > LONGEST || b.len() > LONGEST {
        return usize::MAX;
    }
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests;
