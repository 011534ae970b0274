//! Escape sequences of single characters in Go's regular expressions.

use super::refused::Result;

/// Parses an escape sequence; `text` starts with its backslash. Returns the code point, which may
/// be a surrogate, and the rest of the text. The callers handle classes such as `\d` themselves.
pub fn parse(text: &str) -> Result<(u32, &str)> {
    let escaped = &text[1..];
    let Some(c) = escaped.chars().next() else {
        return Err("it ends with a backslash".to_owned());
    };
    let rest = &escaped[c.len_utf8()..];
    let control = match c {
        'a' => 0x07,
        't' => 0x09,
        'n' => 0x0a,
        'v' => 0x0b,
        'f' => 0x0c,
        'r' => 0x0d,
        'x' => return hexadecimal(rest),
        '0'..='9' => return octal(escaped),
        c if c.is_ascii() && !c.is_ascii_alphanumeric() => u32::from(c),
        c => return Err(format!(r"unknown escape `\{c}`")),
    };
    Ok((control, rest))
}

/// Parses up to three octal digits. A single digit other than zero would be a backreference.
fn octal(text: &str) -> Result<(u32, &str)> {
    let is_digit = |b: &u8| (b'0'..=b'7').contains(b);
    let digits = text.bytes().take(3).take_while(is_digit).count();
    let (digits, rest) = text.split_at(digits);
    if digits == "0" || digits.len() > 1 {
        let code = u32::from_str_radix(digits, 8).map_err(|error| error.to_string())?;
        Ok((code, rest))
    } else {
        Err(format!(
            r"`\{}` is a backreference, which is not supported",
            &text[..1]
        ))
    }
}

/// Parses two hexadecimal digits, or any number of them in braces.
fn hexadecimal(text: &str) -> Result<(u32, &str)> {
    const LAST_CHARACTER: u32 = char::MAX as u32;
    let (digits, rest) = match text.strip_prefix('{') {
        Some(text) => text.split_once('}').unwrap_or_default(),
        None => text.split_at_checked(2).unwrap_or_default(),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let code = match digits.trim_start_matches('0') {
        _ if !is_number => None,
        "" => Some(0),
        digits => u32::from_str_radix(digits, 16).ok(),
    };
    let code = code.filter(|code| *code <= LAST_CHARACTER);
    let code =
        code.ok_or(r"`\x` needs two hexadecimal digits, or a number up to 10FFFF in braces")?;
    Ok((code, rest))
}
