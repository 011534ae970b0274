//! A lexer for Go. The file is not parsed, so it does not have to compile.

/// A token of Go.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Token<'a> {
    /// A comment `// …`, without the line break.
    Line(&'a str),
    /// A name, a keyword or a number.
    Word(&'a str),
    /// Any other character.
    Sign(char),
    /// A string or a rune, with its quotes.
    Literal(&'a str),
}

/// A token with its byte offset.
pub type Lexeme<'a> = (usize, Token<'a>);

/// Returns the tokens of a text in order. Skips whitespace and block comments.
pub fn lex(text: &str) -> Vec<Lexeme<'_>> {
    let mut lexemes = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (token, length) = next(rest, first);
        lexemes.extend(token.map(|token| (at, token)));
        at += length;
    }
    lexemes
}

/// A text with the offsets of its line breaks, from which the line number of an offset is found by
/// binary search.
pub struct LineIndex<'a> {
    pub text: &'a str,
    /// The byte offsets of the line feeds, ascending.
    breaks: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Finds the line breaks of a text.
    pub fn of(text: &'a str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at).collect();
        Self { text, breaks }
    }

    /// Returns the number of the line, from 1, in which a byte is.
    pub fn number(&self, at: usize) -> usize {
        1 + self.breaks.partition_point(|end| *end < at)
    }
}

/// Joins tokens of `text` into one line, with a single space after each token that whitespace
/// follows in `text`, and between words that a comment separates. Callers remove line comments
/// before.
pub fn joined(text: &str, lexemes: &[Lexeme]) -> String {
    let mut joined = String::new();
    let mut end = None;
    for (at, token) in lexemes {
        let gap = end.map_or("", |end: usize| &text[end..*at]);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let separates_words = || joined.ends_with(is_word) && text[*at..].starts_with(is_word);
        if gap.starts_with(char::is_whitespace) || !gap.is_empty() && separates_words() {
            joined.push(' ');
        }
        let length = match token {
            Token::Line(text) | Token::Word(text) | Token::Literal(text) => {
                joined.push_str(text);
                text.len()
            }
            Token::Sign(sign) => {
                joined.push(*sign);
                sign.len_utf8()
            }
        };
        end = Some(at + length);
    }
    joined
}

fn next(rest: &str, first: char) -> (Option<Token<'_>>, usize) {
    let until = |end: &str| rest.find(end).unwrap_or(rest.len());
    let word = |c: char| c.is_alphanumeric() || c == '_';
    if rest.starts_with("//") {
        let line = &rest[..until("\n")];
        (Some(Token::Line(line.trim_end_matches('\r'))), line.len())
    } else if let Some(comment) = rest.strip_prefix("/*") {
        let length = comment.find("*/").map_or(rest.len(), |end| end + 4);
        (None, length)
    } else if matches!(first, '"' | '\'' | '`') {
        let length = literal(rest, first);
        (Some(Token::Literal(&rest[..length])), length)
    } else if word(first) {
        let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
        (Some(Token::Word(&rest[..length])), length)
    } else {
        let sign = (!first.is_whitespace()).then_some(Token::Sign(first));
        (sign, first.len_utf8())
    }
}

/// Returns the length of a string, including its quotes. An unclosed string ends at the end of the
/// line; an unclosed raw string, at the end of the text.
fn literal(rest: &str, quote: char) -> usize {
    let mut characters = rest.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        match c {
            _ if c == quote => return at + 1,
            '\n' if quote != '`' => return at,
            '\\' if quote != '`' => _ = characters.next(),
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_words_stay_apart() {
        for (text, expected) in [
            ("a/* x */b", "a b"),
            ("f(/* x */a,\n\tb)", "f(a, b)"),
            ("a /* x */ b", "a b"),
            ("a.b", "a.b"),
        ] {
            assert_eq!(joined(text, &lex(text)), expected, "{text}");
        }
    }
}
