//! Indents the continuation lines of quoted YAML scalars, in one pass over the text.
//!
//! YAML requires these lines to be indented more than the block with the scalar; kubectl's parser
//! accepts any column. White space at the beginning of such a line is not part of the scalar, so
//! adding some changes nothing else.

/// The position of a scalar or a collection in a line, and the column of its block.
#[derive(Clone, Copy)]
struct ScalarPosition<'a> {
    /// The rest of the line.
    rest: &'a str,
    /// The column of the key or the dash before it; -1 for the root value of a document.
    column: isize,
}

/// Returns the text with all continuation lines of quoted scalars in blocks indented far enough.
/// Lines keep their numbers.
pub fn indented(text: &str) -> String {
    let mut lines = QuotedLines {
        rest: text,
        done: String::with_capacity(text.len()),
    };
    while let Some(line) = lines.next() {
        lines.structure(line);
    }
    lines.done
}

struct QuotedLines<'a> {
    rest: &'a str,
    done: String,
}

impl<'a> QuotedLines<'a> {
    /// Returns the next line with its line break, without copying it.
    fn peek(&self) -> Option<&'a str> {
        let end = self.rest.find('\n').map_or(self.rest.len(), |at| at + 1);
        (end > 0).then(|| &self.rest[..end])
    }

    /// Copies the next line unchanged and returns it.
    fn next(&mut self) -> Option<&'a str> {
        let line = self.peek()?;
        self.rest = &self.rest[line.len()..];
        self.done.push_str(line);
        Some(line)
    }

    /// Copies the next line, indented more than `column`, and returns it.
    fn next_behind(&mut self, column: isize) -> Option<&'a str> {
        let line = self.peek()?;
        if !is_blank(line) && indent(line) <= column {
            let missing = usize::try_from(column + 1).unwrap_or_default();
            self.done.push_str(&" ".repeat(missing));
        }
        self.next()
    }

    /// Processes a line that begins outside of a scalar, and the lines that continue its last
    /// value.
    fn structure(&mut self, line: &'a str) {
        let mut place = ScalarPosition {
            rest: line,
            column: -1,
        };
        if let Some(rest) = line.strip_prefix("---") {
            place.rest = rest;
        } else if line.starts_with(['%', '#']) {
            return;
        }
        loop {
            let trimmed = place.rest.trim_start_matches([' ', '\t']);
            let at = line.len() - trimmed.len();
            let at = isize::try_from(at).unwrap_or(isize::MAX);
            place.rest = trimmed;
            let Some(first) = trimmed.chars().next() else {
                return;
            };
            match first {
                '\n' | '\r' | '#' => return,
                '-' | '?' if is_alone(&trimmed[1..]) => {
                    place = ScalarPosition {
                        rest: &trimmed[1..],
                        column: at,
                    };
                }
                '!' | '&' => {
                    let end = trimmed.find(char::is_whitespace);
                    place.rest = &trimmed[end.unwrap_or(trimmed.len())..];
                }
                '"' | '\'' => {
                    let (behind, is_one_line) = self.quoted(&trimmed[1..], first, place.column);
                    let Some(value) = behind.trim_start().strip_prefix(':') else {
                        return;
                    };
                    if !is_one_line || !is_alone(value) {
                        return;
                    }
                    place = ScalarPosition {
                        rest: value,
                        column: at,
                    };
                }
                '[' | '{' => return self.flow(trimmed),
                '|' | '>' => return self.skip_behind(place.column),
                _ => match key(trimmed) {
                    Some(value) => {
                        place = ScalarPosition {
                            rest: value,
                            column: at,
                        };
                    }
                    None => return self.skip_behind(place.column),
                },
            }
        }
    }

    /// Copies the remaining lines of a block scalar or a plain scalar.
    fn skip_behind(&mut self, column: isize) {
        while let Some(line) = self.peek()
            && (is_blank(line) || indent(line) > column)
            && !line.starts_with("---")
        {
            self.next();
        }
    }

    /// Processes a quoted scalar after its opening quote. Returns the text after the closing quote,
    /// and whether the whole scalar is on one line.
    fn quoted(&mut self, first: &'a str, quote: char, column: isize) -> (&'a str, bool) {
        let mut line = first;
        let mut is_one_line = true;
        loop {
            if let Some(end) = closed(line, quote) {
                return (&line[end..], is_one_line);
            }
            let Some(next) = self.next_behind(column) else {
                return ("", is_one_line);
            };
            (line, is_one_line) = (next, false);
        }
    }

    /// Copies the lines of a flow collection.
    fn flow(&mut self, first: &'a str) {
        let mut line = first;
        let mut depth = 0_usize;
        let mut quote = None;
        loop {
            let mut before = ' ';
            let mut at = 0;
            while let Some(c) = line[at..].chars().next() {
                if let Some(open) = quote {
                    let Some(end) = closed(&line[at..], open) else {
                        break;
                    };
                    quote = None;
                    at += end;
                    before = open;
                    continue;
                }
                match c {
                    '"' | '\'' if " \t[{,:".contains(before) => quote = Some(c),
                    '#' if before.is_whitespace() => break,
                    '[' | '{' => depth += 1,
                    ']' | '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                before = c;
                at += c.len_utf8();
            }
            if depth == 0 {
                return;
            }
            let Some(next) = self.next() else { return };
            line = next;
        }
    }
}

/// Returns the position after the quote that closes a scalar.
fn closed(line: &str, quote: char) -> Option<usize> {
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\\' && quote == '"' {
            chars.next();
        } else if c == quote {
            let is_escaped = quote == '\'' && chars.peek().is_some_and(|(_, next)| *next == '\'');
            if !is_escaped {
                return Some(at + 1);
            }
            chars.next();
        }
    }
    None
}

/// Returns the text after the colon if a line begins with a plain key.
fn key(line: &str) -> Option<&str> {
    let end = line.find(" #").unwrap_or(line.len());
    let mut colons = line[..end]
        .match_indices(':')
        .map(|(at, _)| &line[at + 1..]);
    colons.find(|value| is_alone(value))
}

/// Reports whether white space or nothing follows an indicator, as YAML requires.
fn is_alone(rest: &str) -> bool {
    rest.chars().next().is_none_or(char::is_whitespace)
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn indent(line: &str) -> isize {
    let indent = line.len() - line.trim_start_matches(' ').len();
    isize::try_from(indent).unwrap_or(isize::MAX)
}

#[cfg(test)]
mod tests {
    use super::indented;

    #[test]
    fn only_lines_of_quoted_scalars_are_indented() {
        let text = "\
a:
  one: 'it''s
over'
  two: \"a \\\" b
  c: d
e\"
  - &x !!str 'x
  y'
  'quoted key': \"z
z\" # 'comment
  block: |
    'no
  folded: >-

    \"no
  plain: it's
    \"no
  flow: ['a
b', \"c\", d's]
  last: 'l
l'
";
        let expected = "\
a:
  one: 'it''s
   over'
  two: \"a \\\" b
     c: d
   e\"
  - &x !!str 'x
     y'
  'quoted key': \"z
   z\" # 'comment
  block: |
    'no
  folded: >-

    \"no
  plain: it's
    \"no
  flow: ['a
b', \"c\", d's]
  last: 'l
   l'
";
        assert_eq!(indented(text), expected);
        assert_eq!(indented(expected), expected);
        assert_eq!(
            indented("--- 'a\nb'\n--- |\n a\n---\nc: 'd\nd'"),
            "--- 'a\nb'\n--- |\n a\n---\nc: 'd\n d'"
        );
    }

    #[test]
    fn a_text_that_ends_anywhere_is_no_reason_to_panic() {
        let text = "a: ['x\n\", {é: \"\\é'\nb: |\n é\n- ? 'é''\n\"é\": !é &é é: #é\n";
        for (end, _) in text.char_indices() {
            indented(&text[..end]);
            indented(&text[end..]);
        }
    }
}
