//! Suppressions of warnings: `// rustop:allow(some-rule): reason`.
//!
//! A suppression stands on its own line above the code. It applies to the rest of its comment block
//! and to the first line of code below, including attributes. It needs a reason. An unused
//! suppression is itself a warning.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::diagnostic::lints::allow::UNUSED_ALLOW;
use crate::diagnostic::{Diagnostic, Severity, SourceLine, did_you_mean};
use crate::diagnostic::{Lint, lints};
use crate::sources::marker::{Problem, Text};

/// A suppression of rules: a comment in Rust, or an entry of `allow` in `rustop.yaml`.
#[derive(Clone, Debug, PartialEq)]
pub struct Allow {
    /// The line of the comment or entry.
    pub line: Arc<SourceLine>,
    /// The diagnostics to which the suppression applies.
    pub holds: Scope,
    /// The names of the rules, with their byte ranges in the line.
    pub rules: Vec<Text>,
}

/// The diagnostics to which a suppression applies.
#[derive(Clone, Debug, PartialEq)]
pub enum Scope {
    /// Those at these lines of the file with the suppression.
    Lines(RangeInclusive<usize>),
    /// Those about this kind, version and field: the beginning of their messages, up to the colon.
    Subject(String),
}

/// Parses the text of a comment, without its slashes. Returns the rules with their byte ranges in
/// this text, or the error in the suppression; `None` if the comment is not meant as one.
pub fn read(text: &str) -> Option<Result<Vec<Text>, Problem>> {
    let rest = text.strip_prefix("rustop:")?.trim_start();
    let begin = text.len() - rest.len();
    let word_end = rest
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(rest.len());
    did_you_mean(&rest[..word_end], &["allow"])?;
    let form = "write `rustop:allow(some-rule): reason`";
    let problem =
        |span, message: &str| Some(Err(Problem::new(span, message.to_owned()).help(form)));
    let Some(list) = text.strip_prefix("rustop:allow(") else {
        return problem(0..begin + word_end, "this allows nothing");
    };
    let open = text.len() - list.len();
    let Some(close) = list.find(')').map(|length| open + length) else {
        return problem(open - 1..open, "this parenthesis is never closed");
    };
    let names = text[open..close]
        .split_inclusive(',')
        .scan(open, |at, name| {
            let start = *at + name.len() - name.trim_start().len();
            *at += name.len();
            let text = name.trim_end_matches(',').trim().to_owned();
            let span = start..start + text.len();
            Some(Text { text, span })
        });
    let names: Vec<_> = names.collect();
    if names.is_empty() || names.iter().any(|name| name.text.is_empty()) {
        return problem(open - 1..close + 1, "the name of a rule is missing");
    }
    let reason = text[close + 1..].trim_start().strip_prefix(':');
    if reason.is_none_or(|reason| reason.trim().is_empty()) {
        return problem(0..close + 1, "an allowed warning needs a reason");
    }
    Some(Ok(names))
}

/// Returns the number of lines below a comment to which it applies; a very large number if it
/// applies up to the end of the file. `below` are the lines after the comment.
pub fn reach<'a>(below: impl Iterator<Item = &'a str>) -> usize {
    let mut depth = 0;
    for (number, line) in (1..).zip(below) {
        let line = line.trim();
        let attribute = depth > 0 || line.starts_with("#[") || line.starts_with("#![");
        if attribute {
            let count = |brackets: [char; 2]| line.matches(brackets).count();
            depth = (depth + count(['[', '('])).saturating_sub(count([']', ')']));
        } else if line.is_empty() {
            return number - 1;
        } else if !line.starts_with("//") {
            return number;
        }
    }
    usize::MAX / 2
}

/// Removes suppressed warnings from `found`, and adds diagnostics about wrong suppressions: an
/// unknown rule, or nothing to suppress. The latter is only reported for the rules in `ran`, which
/// have checked the sources.
pub fn apply_suppressions(
    found: Vec<Diagnostic>,
    allows: &[Allow],
    ran: impl IntoIterator<Item = &'static Lint>,
) -> Vec<Diagnostic> {
    let ran: Vec<_> = ran.into_iter().map(|lint| lint.id).collect();
    let known: Vec<_> = lints::all().map(|lint| lint.id).collect();
    let mut problems = Vec::new();
    let mut allowed = vec![false; found.len()];
    for allow in allows {
        for Text { text: name, span } in &allow.rules {
            let mut is_used = false;
            for (diagnostic, allowed) in found.iter().zip(&mut allowed) {
                if allow.is_about(name, diagnostic) {
                    (is_used, *allowed) = (true, true);
                }
            }
            let at = |message: String| Diagnostic::at(&allow.line, span.clone(), message);
            if !known.contains(&name.as_str()) {
                let problem = at(format!("there is no rule `{name}`"));
                let help = did_you_mean(name, &known).map_or_else(
                    || format!("the rules are {}", known.join(", ")),
                    |meant| format!("did you mean `{meant}`?"),
                );
                problems.push(problem.help(help));
            } else if !is_used && ran.contains(&name.as_str()) {
                let problem = at(format!("nothing here has to be allowed by `{name}`"));
                problems.push(problem.warning(&UNUSED_ALLOW).help("remove it"));
            }
        }
    }
    let mut allowed = allowed.into_iter();
    let rest = found
        .into_iter()
        .filter(|_| !allowed.next().unwrap_or(false));
    rest.chain(problems).collect()
}

impl Allow {
    fn is_about(&self, rule: &str, diagnostic: &Diagnostic) -> bool {
        diagnostic.severity == Severity::Warning
            && diagnostic.rule.is_some_and(|lint| lint.id == rule)
            && match &self.holds {
                Scope::Lines(lines) => {
                    let is_in = |line| lines.contains(&line);
                    diagnostic.path == self.line.path && diagnostic.line().is_some_and(is_in)
                }
                Scope::Subject(subject) => diagnostic.subject() == subject,
            }
    }
}

#[cfg(test)]
mod tests;
