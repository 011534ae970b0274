//! What is wrong with a source file, where, and what to write instead.
//!
//! Nothing here ends a run: diagnostics are collected, sorted and shown all together.

mod lint;
pub mod lints;
mod problems;
pub mod report;

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use lint::Lint;
pub use problems::Problems;

/// A line of a source file: all that is kept of the file to show it.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct SourceLine {
    /// The file, relative to the project.
    pub path: PathBuf,
    /// Its number, from 1.
    pub number: usize,
    /// Its text, without the line break.
    pub text: String,
}

/// One thing that is wrong.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Diagnostic {
    /// The file, relative to the project.
    pub path: PathBuf,
    /// Where in the file, unless it is about the file as a whole.
    pub place: Option<Place>,
    /// How bad it is.
    pub severity: Severity,
    /// The rule that found it, if that is one which can be allowed in place.
    pub rule: Option<&'static Lint>,
    /// What is wrong: one line, lower case, no full stop.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Severity {
    /// Nothing is written.
    Error,
    /// It is shown, and that is all, unless warnings are denied.
    Warning,
}

/// A part of a source line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Place {
    /// The line.
    pub line: Arc<SourceLine>,
    /// The bytes of the line that are underlined.
    pub span: Range<usize>,
}

impl Diagnostic {
    /// About a part of a line, given in bytes.
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
        }
    }

    /// About a file as a whole.
    pub fn file(path: &Path, message: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            place: None,
            severity: Severity::Error,
            rule: None,
            message: message.into(),
            help: None,
        }
    }

    /// As a warning of a rule, which can be allowed in place.
    #[must_use]
    pub fn warning(mut self, rule: &'static Lint) -> Self {
        self.severity = Severity::Warning;
        self.rule = Some(rule);
        self
    }

    /// With what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// What diagnostics are sorted by: file, line, column.
    pub fn sort_key(&self) -> (&Path, Option<usize>, Option<usize>, &str) {
        (&self.path, self.line(), self.column(), &self.message)
    }

    /// The line, from 1.
    pub fn line(&self) -> Option<usize> {
        self.place.as_ref().map(|place| place.line.number)
    }

    /// The column in characters, from 1.
    pub fn column(&self) -> Option<usize> {
        let place = self.place.as_ref()?;
        Some(chars(&place.line.text, 0..place.span.start) + 1)
    }

    /// The column behind the last character that it is about.
    pub fn end_column(&self) -> Option<usize> {
        let place = self.place.as_ref()?;
        Some(chars(&place.line.text, 0..place.span.end) + 1)
    }
}

/// As compilers show it, without colors:
///
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
        writeln!(f, "{}{rule}: {}", self.severity, self.message)?;
        let path = self.path.display();
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
            write!(f, "\nhelp: {help}")?;
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

/// Sorts what was found by file and line. Warnings alone are no failure, unless they are denied.
///
/// # Errors
/// Everything, when something of it is an error: then nothing should be written.
pub fn judge(
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
    /// What stands there.
    pub fn text(&self) -> &str {
        self.line.text.get(self.span.clone()).unwrap_or_default()
    }

    /// A diagnostic about it.
    pub fn diagnostic(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::at(&self.line, self.span.clone(), message)
    }

    /// What of a line is shown: of a very long one, what surrounds the span.
    const WINDOW: usize = 160;

    /// The text to show, the columns before the carets, and their number.
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
                // A source file must not steer the reader's terminal.
                c if c.is_control() => '\u{fffd}',
                c => c,
            });
        (shown.collect(), start - first, width)
    }
}

/// The number of characters that begin in a span of bytes.
fn chars(text: &str, span: Range<usize>) -> usize {
    text.char_indices()
        .filter(|(at, _)| span.contains(at))
        .count()
}

/// The one of `candidates` that `word` most likely was meant to be.
pub fn did_you_mean<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    candidates
        .iter()
        .map(|candidate| (distance(&word, &candidate.to_lowercase()), *candidate))
        .filter(|(distance, candidate)| *distance <= 1.max(candidate.len() / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters were added, dropped, changed or swapped with their neighbour.
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
