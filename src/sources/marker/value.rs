//! Single values: in quotes, in backticks or bare.

use super::{MarkerParser, ParseResult, Problem, Text};

impl MarkerParser<'_> {
    /// Parses a quoted or bare value of the argument `name`.
    pub(super) fn value(&mut self, name: &str) -> ParseResult<Text> {
        let start = self.skip_space();
        let value = match self.peek() {
            Some('"') => self.quoted()?,
            Some('`') => {
                let Some(length) = self.text[start + 1..].find('`') else {
                    return Err(never_closed(start));
                };
                self.at = start + length + 2;
                Text {
                    text: self.text[start + 1..start + 1 + length].to_owned(),
                    span: start..self.at,
                }
            }
            _ => return self.bare(name),
        };
        match self.text[self.at..].chars().next() {
            Some(c) if !(c.is_whitespace() || matches!(c, ',' | ';' | '}')) => {
                let rest = self.text[self.at..].find([',', ';', '}']);
                let end = rest.map_or(self.text.len(), |length| self.at + length);
                Err(Problem::new(self.at..end, "text behind a closing quote")
                    .help("separate values with `;` and arguments with `,`"))
            }
            _ => Ok(value),
        }
    }

    /// Parses a string with the escapes of Go.
    fn quoted(&mut self) -> ParseResult<Text> {
        let start = self.at;
        let mut text = String::new();
        let mut chars = self.text[start + 1..].char_indices();
        while let Some((at, c)) = chars.next() {
            let at = start + 1 + at;
            match c {
                '"' => {
                    self.at = at + 1;
                    return Ok(Text {
                        text,
                        span: start..self.at,
                    });
                }
                '\\' => {
                    let Some((c, length)) = unescape(&self.text[at + 1..]) else {
                        let end = self.text[at..].char_indices().nth(2);
                        let end = end.map_or(self.text.len(), |(length, _)| at + length);
                        return Err(Problem::new(at..end, "unknown escape in a string")
                            .help("write a backslash as `\\\\`, or the string in backticks"));
                    };
                    text.push(c);
                    chars.by_ref().take(length).for_each(drop);
                }
                c => text.push(c),
            }
        }
        Err(never_closed(start))
    }

    /// Parses a value without quotes, up to `,`, `;`, `}` or the end.
    fn bare(&mut self, name: &str) -> ParseResult<Text> {
        let start = self.at;
        let text = self.take(|c| !matches!(c, ',' | ';' | '}')).trim_end();
        let span = start..start + text.len();
        if let Some(problem) = self.second_argument(name, text, start) {
            return Err(problem);
        }
        if let Some(inner) = text.strip_prefix('\'') {
            let inner = inner.strip_suffix('\'').unwrap_or(inner);
            let help = format!("write `\"{inner}\"`");
            let message = "single quotes do not quote: they would be part of the value";
            self.problems
                .push(Problem::new(span.clone(), message).help(help));
            return Ok(Text {
                text: inner.to_owned(),
                span,
            });
        }
        if let Some(at) = text.find(char::is_whitespace) {
            let rest = text[at..].trim_start();
            let rest = start + text.len() - rest.len()..span.end;
            let help = if rest.start < rest.end && text[rest.start - start..].starts_with("//") {
                "a comment stands on a line of its own".to_owned()
            } else {
                let words: Vec<_> = text.split_whitespace().collect();
                format!("separate values with `;`: `{}`", words.join(";"))
            };
            return Err(Problem::new(start + at..rest.end, "a space inside a value").help(help));
        }
        if let Some(at) = text.find(['"', '`', '\'']) {
            return Err(
                Problem::new(start + at..start + at + 1, "a quote inside a value")
                    .help("quote the whole value"),
            );
        }
        Ok(Text {
            text: text.to_owned(),
            span,
        })
    }
}

fn never_closed(quote: usize) -> Problem {
    Problem::new(quote..quote + 1, "this quote is never closed")
        .help("close it; a marker ends with its line")
}

/// Returns the character of an escape and the length of the escape in characters. `text` follows
/// the backslash.
fn unescape(text: &str) -> Option<(char, usize)> {
    let code = |skip: usize, length: usize, radix: u32| {
        let digits = text.get(skip..skip + length)?;
        let digits = digits
            .chars()
            .all(|c| c.is_digit(radix))
            .then_some(digits)?;
        let code = u32::from_str_radix(digits, radix).ok()?;
        // Two or three digits denote a byte. A byte above 7f is not a character.
        let is_character = length > 3 || code < 0x80;
        Some((
            char::from_u32(code).filter(|_| is_character)?,
            skip + length,
        ))
    };
    let c = match text.chars().next()? {
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        c @ ('\\' | '"') => c,
        'x' => return code(1, 2, 16),
        'u' => return code(1, 4, 16),
        'U' => return code(1, 8, 16),
        '0'..='7' => return code(0, 3, 8),
        _ => return None,
    };
    Some((c, 1))
}
