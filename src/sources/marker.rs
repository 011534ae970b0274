//! The grammar of a marker's arguments: `groups=apps;batch,verbs={get, "list"},namespace=x`.
//!
//! The grammar is that of controller-gen, with both list forms (`a;b` and `{a, b}`) and both
//! quotings (`"…"` with escapes and `` `…` ``). Where controller-gen accepts what is certainly a
//! mistake (a space instead of a comma, single quotes, an argument given twice), this parser
//! reports a problem with a fix. A space after a value, with which controller-gen loses the value,
//! is allowed.

mod mistakes;
mod value;

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SourceLine};

/// An argument that a marker accepts.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    pub name: &'static str,
    /// True if the argument accepts several values.
    pub list: bool,
}

impl Argument {
    /// Declares an argument with a single value.
    pub const fn one(name: &'static str) -> Self {
        Self { name, list: false }
    }

    /// Declares an argument with a list of values.
    pub const fn list(name: &'static str) -> Self {
        Self { name, list: true }
    }
}

/// An argument of a marker, as the user has written it. Byte ranges are in the text of the marker's
/// arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The name; always a known one.
    pub name: &'static str,
    /// The byte range of name and value.
    pub span: Range<usize>,
    /// The values; exactly one unless the argument accepts a list.
    pub values: Vec<Text>,
}

/// A text and its location: in the text of a marker's arguments, or in the line of a suppression.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// The text without quotes.
    pub text: String,
    /// The byte range, including quotes.
    pub span: Range<usize>,
}

/// A problem in a part of a marker.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The byte range in the text of the marker's arguments.
    pub span: Range<usize>,
    /// The description, as the first line of a diagnostic.
    pub message: String,
    /// The command or text that fixes it.
    pub help: Option<String>,
}

impl Problem {
    /// Creates a problem without advice.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            help: None,
        }
    }

    /// Adds advice on how to fix the problem.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Converts the problem into a diagnostic for a line. `start` is the byte offset in the line
    /// from which the range of the problem is counted.
    pub fn in_line(self, line: &Arc<SourceLine>, start: usize) -> Diagnostic {
        let span = start + self.span.start..start + self.span.end;
        Diagnostic {
            help: self.help,
            ..Diagnostic::at(line, span, self.message)
        }
    }
}

/// Parses the text of a marker's arguments, of which `known` are accepted. If there are problems,
/// the returned arguments may be incomplete.
pub fn parse(text: &str, known: &[Argument]) -> (Vec<Given>, Vec<Problem>) {
    let mut parser = MarkerParser {
        text,
        known,
        at: 0,
        given: Vec::new(),
        problems: Vec::new(),
    };
    if !text.trim().is_empty()
        && let Err(problem) = parser.arguments()
    {
        parser.problems.push(problem);
    }
    (parser.given, parser.problems)
}

/// `Err` is a problem after which parsing cannot continue.
type ParseResult<T = ()> = Result<T, Problem>;

struct MarkerParser<'a> {
    text: &'a str,
    known: &'a [Argument],
    at: usize,
    given: Vec<Given>,
    problems: Vec<Problem>,
}

impl<'a> MarkerParser<'a> {
    fn arguments(&mut self) -> ParseResult {
        loop {
            self.argument()?;
            let end = self.at;
            match self.peek() {
                None => return Ok(()),
                Some(',') => self.at += 1,
                Some(_) => return Err(self.unexpected(end)),
            }
            if self.peek().is_none() {
                return Err(Problem::new(end..end + 1, "a comma with nothing behind it")
                    .help("remove the comma"));
            }
        }
    }

    fn argument(&mut self) -> ParseResult {
        let start = self.skip_space();
        let name = self.take(|c| c.is_alphanumeric() || c == '_');
        let name_span = start..self.at;
        if name.is_empty() {
            let next = self.peek().map_or(0, char::len_utf8);
            return Err(
                Problem::new(start..start + next, "expected the name of an argument")
                    .help(format!("a marker's arguments are {}", self.names())),
            );
        }
        if self.peek() != Some('=') {
            return Err(self.name_without_value(name, name_span));
        }
        self.at += 1;
        let argument = self
            .known
            .iter()
            .find(|argument| argument.name == name)
            .copied();
        let list = argument.is_none_or(|argument| argument.list);
        let values = if list {
            self.list(name)?
        } else {
            vec![self.single(name)?]
        };
        let span = start..self.trimmed_end();
        let Some(argument) = argument else {
            let unknown = Problem::new(name_span, format!("unknown argument `{name}`"));
            self.problems.push(unknown.help(self.meant(name)));
            return Ok(());
        };
        if let Some(first) = self.given.iter().find(|given| given.name == argument.name) {
            let help = if list {
                let all = first.values.iter().chain(&values);
                let all: Vec<_> = all.map(|value| &self.text[value.span.clone()]).collect();
                format!("write `{name}={}`, or two markers", all.join(";"))
            } else {
                "write two markers".to_owned()
            };
            let twice = Problem::new(span, format!("`{name}` is given twice")).help(help);
            self.problems.push(twice);
            return Ok(());
        }
        self.given.push(Given {
            name: argument.name,
            span,
            values,
        });
        Ok(())
    }

    /// Parses `{a, b}` or `a;b`. An empty text is an empty list.
    fn list(&mut self, name: &str) -> ParseResult<Vec<Text>> {
        let mut values = Vec::new();
        let braced = self.peek() == Some('{');
        let (separator, other) = if braced { (',', ';') } else { (';', ',') };
        let open = self.at;
        self.at += usize::from(braced);
        loop {
            match self.peek() {
                None if braced => {
                    return Err(Problem::new(open..open + 1, "this brace is never closed")
                        .help("close it with `}`"));
                }
                Some('}') if braced => {
                    self.at += 1;
                    return Ok(values);
                }
                None | Some(',') if !braced => return Ok(values),
                Some(c) if c == separator => {
                    return Err(
                        Problem::new(self.at..self.at + 1, "a value is missing here")
                            .help(format!("values are separated by one `{separator}`")),
                    );
                }
                _ => values.push(self.value(name)?),
            }
            match self.peek() {
                Some(c) if c == separator => self.at += 1,
                Some(c) if c == other && braced => {
                    return Err(Problem::new(self.at..self.at + 1, "`;` inside braces")
                        .help("write `{a, b}` or `a;b`"));
                }
                None | Some(',' | '}') => {}
                Some(_) => return Err(self.unexpected(self.at)),
            }
            if !braced && self.peek() == Some('}') {
                return Err(self.unexpected(self.at));
            }
        }
    }

    fn single(&mut self, name: &str) -> ParseResult<Text> {
        let equals = self.at - 1;
        let start = self.skip_space();
        let one = format!("`{name}` takes one value");
        match self.peek() {
            None | Some(',') => {
                let help = format!("write `{name}=…` with a value, or leave `{name}` out");
                Err(Problem::new(equals..equals + 1, format!("`{name}` has no value")).help(help))
            }
            Some('{' | ';' | '}') => {
                let help = "put a value with such characters into backticks";
                Err(Problem::new(start..start + 1, one).help(help))
            }
            Some(_) => {
                let value = self.value(name)?;
                match self.peek() {
                    Some(';') => {
                        let help = "write one marker for each value";
                        Err(Problem::new(self.at..self.at + 1, one).help(help))
                    }
                    _ => Ok(value),
                }
            }
        }
    }

    /// Skips whitespace and returns the next character without consuming it.
    fn peek(&mut self) -> Option<char> {
        self.skip_space();
        self.text[self.at..].chars().next()
    }

    fn skip_space(&mut self) -> usize {
        self.at = self.text.len() - self.text[self.at..].trim_start().len();
        self.at
    }

    fn take(&mut self, part: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Returns the end of the text parsed so far, without trailing whitespace.
    fn trimmed_end(&self) -> usize {
        self.text[..self.at].trim_end().len()
    }
}

#[cfg(test)]
mod tests;
