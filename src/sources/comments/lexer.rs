//! A lexer for the comments, strings and character literals of Rust code, which does not have to
//! compile.

use std::ops::Range;

/// A kind of token that is not code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NonCode {
    /// `// …`
    Line,
    /// `/* … */`
    Block,
    /// `"…"`, also raw.
    String,
    /// `'x'`
    Character,
}

/// Calls `found` with the byte range of each comment, string and character literal, in order. The
/// range includes the quotes and the hashes after a raw string, but no prefix such as `r#` or `b`.
/// All positions are next to ASCII characters or at the end, so they can be used to slice a `str`.
pub fn for_each_non_code(text: &[u8], mut found: impl FnMut(NonCode, Range<usize>)) {
    let mut at = 0;
    while let Some(length) = text[at..]
        .iter()
        .position(|b| matches!(b, b'/' | b'"' | b'\''))
    {
        at += length;
        let (token, end) = match (text[at], text.get(at + 1)) {
            (b'/', Some(b'/')) => (Some(NonCode::Line), line_end(text, at)),
            (b'/', Some(b'*')) => (Some(NonCode::Block), block_end(text, at)),
            (b'/', _) => (None, at + 1),
            (b'"', _) => (Some(NonCode::String), string_end(text, at)),
            _ => {
                let end = quote_end(text, at);
                ((end > at + 1).then_some(NonCode::Character), end)
            }
        };
        if let Some(token) = token {
            found(token, at..end);
        }
        at = end;
    }
}

/// Replaces comments, strings and character literals with spaces. Byte positions stay the same,
/// line numbers do not: line feeds in a block comment or a string are replaced, too. The result can
/// be searched, but not parsed.
pub fn code(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for_each_non_code(text.as_bytes(), |_, span| bytes[span].fill(b' '));
    // Cannot fail, because whole characters are replaced.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Returns the maximum nesting depth of brackets in the result of [`code`]. Callers check it before
/// they call syn, whose recursive parser overflows the stack on deeply nested code.
pub fn nesting(code: &str) -> usize {
    let mut depth = 0_usize;
    let depths = code.bytes().map(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth
    });
    depths.max().unwrap_or(0)
}

fn line_end(text: &[u8], at: usize) -> usize {
    let length = text[at..].iter().position(|b| *b == b'\n');
    length.map_or(text.len(), |length| at + length)
}

/// Returns the end of a block comment. Block comments nest.
fn block_end(text: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while let Some(length) = text[at..].iter().position(|b| matches!(b, b'/' | b'*')) {
        at += length;
        match &text[at..] {
            [b'/', b'*', ..] => depth += 1,
            [b'*', b'/', ..] => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Returns the end of a string. A raw string ends with as many hashes as precede its opening quote.
fn string_end(text: &[u8], quote: usize) -> usize {
    let before = &text[..quote];
    let hashes = before.iter().rev().take_while(|b| **b == b'#').count();
    let mut prefix = before[..quote - hashes].iter().rev().copied().peekable();
    let is_raw = prefix.next() == Some(b'r') && {
        prefix.next_if(|b| matches!(b, b'b' | b'c'));
        prefix
            .next()
            .is_none_or(|b| !(b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80))
    };
    let mut at = quote + 1;
    while let Some(length) = text[at..].iter().position(|b| matches!(b, b'"' | b'\\')) {
        at += length + 1;
        if text[at - 1] == b'\\' {
            at += usize::from(!is_raw);
        } else if !is_raw {
            return at;
        } else if text[at..]
            .iter()
            .take(hashes)
            .filter(|b| **b == b'#')
            .count()
            == hashes
        {
            return at + hashes;
        }
        if at >= text.len() {
            break;
        }
    }
    text.len()
}

/// Returns the end of a character such as `'x'` or `'\n'`. For a lifetime, this is the end of its
/// quote.
fn quote_end(text: &[u8], quote: usize) -> usize {
    let rest = &text[quote + 1..];
    let length = match rest.first() {
        Some(b'\\') => {
            let length = rest.iter().skip(2).position(|b| matches!(b, b'\'' | b'\n'));
            return length.map_or(text.len(), |length| quote + 1 + 2 + length + 1);
        }
        Some(..0x80) => 1,
        Some(0x80..0xe0) => 2,
        Some(0xe0..0xf0) => 3,
        Some(_) => 4,
        None => return text.len(),
    };
    if rest[0] != b'\'' && rest.get(length) == Some(&b'\'') {
        quote + 1 + length + 1
    } else {
        quote + 1
    }
}
