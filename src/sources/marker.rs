//! The grammar of a marker's arguments: `groups=apps;batch,verbs={get, "list"},namespace=x`.
//!
//! It is controller-gen's, with both list forms (`a;b` and `{a, b}`) and both quotings (`"…"` with
//! escapes and `` `…` ``). What controller-gen would read as something that nobody means (a space for a
//! comma, single quotes, an argument given twice) is a problem here, and says what to write instead. A
//! space behind a value, with which controller-gen loses the value, is harmless.

mod mistakes;
mod value;

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SourceLine};

/// An argument that a marker takes.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// Whether it takes several values.
    pub list: bool,
}

impl Argument {
    /// One that takes one value.
    pub const fn one(name: &'static str) -> Self {
        Self { name, list: false }
    }

    /// One that takes several.
    pub const fn list(name: &'static str) -> Self {
        Self { name, list: true }
    }
}

/// An argument that a marker was given.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// Its name, one of the known ones.
    pub name: &'static str,
    /// The bytes of name and value.
    pub span: Range<usize>,
    /// Its values: exactly one, unless the argument is a list.
    pub values: Vec<Text>,
}

/// A value, without its quotes.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// What it says.
    pub text: String,
    /// The bytes it was written in, quotes included.
    pub span: Range<usize>,
}

/// What is wrong with some bytes of a marker.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The bytes.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl Problem {
    /// Something that is wrong.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            help: None,
        }
    }

    /// With what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The diagnostic, for bytes that are counted from `start` in the line.
    pub fn in_line(self, line: &Arc<SourceLine>, start: usize) -> Diagnostic {
        let span = start + self.span.start..start + self.span.end;
        Diagnostic {
            help: self.help,
            ..Diagnostic::at(line, span, self.message)
        }
    }
}

/// Reads the arguments of a marker. Where there is a problem, the arguments are not complete.
pub fn parse(text: &str, known: &[Argument]) -> (Vec<Given>, Vec<Problem>) {
    let mut parser = Parser {
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

/// `Err` is a problem after which the rest cannot be understood.
type Step<T = ()> = Result<T, Problem>;

struct Parser<'a> {
    text: &'a str,
    known: &'a [Argument],
    at: usize,
    given: Vec<Given>,
    problems: Vec<Problem>,
}

impl<'a> Parser<'a> {
    fn arguments(&mut self) -> Step {
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

    fn argument(&mut self) -> Step {
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

    /// `{a, b}` or `a;b`; nothing at all is the empty list.
    fn list(&mut self, name: &str) -> Step<Vec<Text>> {
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

    fn single(&mut self, name: &str) -> Step<Text> {
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

    /// The next character that is no space; the parser stands before it.
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

    /// Where the text read so far ends, without the space behind it.
    fn trimmed_end(&self) -> usize {
        self.text[..self.at].trim_end().len()
    }
}

#[cfg(test)]
mod tests;
