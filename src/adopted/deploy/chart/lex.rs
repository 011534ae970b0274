//! Splits Go templates into text and actions, and actions into tokens.

use std::fmt::{self, Display, Formatter};

use serde_json::Value;

/// The line of an error, counted from 1, and its reason.
pub type Problem = (usize, String);

/// A part of a template file.
#[derive(Debug, PartialEq)]
pub enum TemplatePiece {
    Text(String),
    /// The line of an action, and what stands between its braces.
    Action(usize, String),
}

/// A token of an action.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A keyword, or the name of a function.
    Word(String),
    /// A string literal, without quotes and escapes.
    Text(String),
    Number(Value),
    /// `.a.b` as `a` and `b`; empty for `.`.
    Field(Vec<String>),
    /// Fields directly behind a closing parenthesis.
    Suffix(Vec<String>),
    /// `$x.a.b` as `x`, and `a` and `b`. The name is empty for `$`.
    Variable(String, Vec<String>),
    Open,
    Close,
    Pipe,
    Declare,
    Assign,
    Comma,
}

impl Token {
    /// Returns the keyword or the name of a function; `None` for other tokens.
    pub fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }
}

impl Display for Token {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => f.write_str(word),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Field(path) | Self::Suffix(path) => write!(f, ".{}", path.join(".")),
            Self::Variable(name, _) => write!(f, "${name}"),
            Self::Open => f.write_str("("),
            Self::Close => f.write_str(")"),
            Self::Pipe => f.write_str("|"),
            Self::Declare => f.write_str(":="),
            Self::Assign => f.write_str("="),
            Self::Comma => f.write_str(","),
        }
    }
}

/// Splits a template into texts and actions, and applies the trim markers.
///
/// # Errors
/// Returns an error with its line if an action is not closed.
pub fn pieces(text: &str) -> Result<Vec<TemplatePiece>, Problem> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut trims = false;
    loop {
        let line = 1 + text[..text.len() - rest.len()].matches('\n').count();
        let start = rest.find("{{");
        let mut before = &rest[..start.unwrap_or(rest.len())];
        if trims {
            before = before.trim_start();
        }
        let Some(start) = start else {
            found.push(TemplatePiece::Text(before.to_owned()));
            return Ok(found);
        };
        let line = line + rest[..start].matches('\n').count();
        let inner = &rest[start + 2..];
        let marked = inner
            .strip_prefix('-')
            .filter(|it| it.starts_with(char::is_whitespace) || it.starts_with("/*"));
        if marked.is_some() {
            before = before.trim_end();
        }
        found.push(TemplatePiece::Text(before.to_owned()));
        let inner = marked.unwrap_or(inner);
        let end = end_of_action(inner).ok_or((line, "an action is not closed".to_owned()))?;
        let mut action = &inner[..end];
        rest = &inner[end + 2..];
        trims = action.ends_with('-')
            && action[..action.len() - 1].ends_with(|c: char| c.is_whitespace() || c == '/');
        if trims {
            action = &action[..action.len() - 1];
        }
        let action = action.trim();
        if !action.starts_with("/*") {
            found.push(TemplatePiece::Action(line, action.to_owned()));
        }
    }
}

/// Returns the offset of the braces that close an action. Skips strings and comments.
fn end_of_action(text: &str) -> Option<usize> {
    if let Some(comment) = text.trim_start().strip_prefix("/*") {
        let start = text.len() - comment.len();
        let end = start + comment.find("*/")?;
        return Some(end + text[end..].find("}}")?);
    }
    let mut quote = None;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some('"'), '\\') => drop(chars.next()),
            (Some(open), c) if open == c => quote = None,
            (None, '"' | '`') => quote = Some(c),
            (None, '}') if text[at..].starts_with("}}") => return Some(at),
            _ => {}
        }
    }
    None
}

/// Splits an action into tokens.
///
/// # Errors
/// Returns an error if a character is not part of the syntax, a string is not closed, or a number
/// is not one of JSON.
pub fn tokens(action: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    let mut rest = action;
    loop {
        let spaced = rest.len();
        rest = rest.trim_start();
        let is_joined = spaced == rest.len();
        let Some(first) = rest.chars().next() else {
            return Ok(found);
        };
        let (token, length) = match first {
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            '|' => (Token::Pipe, 1),
            ',' => (Token::Comma, 1),
            ':' if rest.starts_with(":=") => (Token::Declare, 2),
            '=' => (Token::Assign, 1),
            '"' => quoted(rest)?,
            '`' => {
                let end = rest[1..].find('`').ok_or("a string is not closed")?;
                (Token::Text(rest[1..=end].to_owned()), end + 2)
            }
            '.' => {
                let length = length_of(rest, |c| is_part(c) || c == '.');
                let path = path(&rest[..length]);
                let is_suffix = is_joined && found.last() == Some(&Token::Close);
                (
                    if is_suffix {
                        Token::Suffix(path)
                    } else {
                        Token::Field(path)
                    },
                    length,
                )
            }
            '$' => {
                let length = 1 + length_of(&rest[1..], |c| is_part(c) || c == '.');
                let (name, fields) = rest[1..length]
                    .split_once('.')
                    .unwrap_or((&rest[1..length], ""));
                (Token::Variable(name.to_owned(), path(fields)), length)
            }
            c if c.is_ascii_digit() || c == '-' => {
                let length = 1 + length_of(&rest[1..], |c| is_part(c) || c == '.');
                let number = serde_json::from_str(&rest[..length])
                    .map_err(|_| format!("`{}` is not a number", &rest[..length]))?;
                (Token::Number(number), length)
            }
            c if is_part(c) => {
                let length = length_of(rest, is_part);
                (Token::Word(rest[..length].to_owned()), length)
            }
            other => return Err(format!("unexpected `{other}`")),
        };
        found.push(token);
        rest = &rest[length..];
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn length_of(text: &str, is_in: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_in(c)).unwrap_or(text.len())
}

fn path(text: &str) -> Vec<String> {
    text.split('.')
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Reads a string in double quotes, whose escapes are those of JSON in practice.
fn quoted(text: &str) -> Result<(Token, usize), String> {
    let mut is_escaped = false;
    let end = text[1..].find(|c| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    let length = end.ok_or("a string is not closed")? + 2;
    let source = &text[..length];
    let value = serde_json::from_str(source).unwrap_or_else(|_| source[1..length - 1].to_owned());
    Ok((Token::Text(value), length))
}
