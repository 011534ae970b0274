//! The styles of scalars, and the formatting of numbers.

use serde_json::Number;

use crate::text::is_direction;

/// The style of a string.
#[derive(Debug, PartialEq)]
pub enum Style {
    Plain,
    /// In single quotes.
    Single,
    /// In double quotes, with escapes.
    Double,
    /// A block scalar with `|`.
    Literal,
}

/// Returns the style in which a string is written. A key cannot be a block scalar, so the writer
/// replaces [`Style::Literal`] there.
pub fn style(s: &str) -> Style {
    let escapes = s
        .chars()
        .any(|c| !is_printable(c) || (is_break(c) && c != '\n'));
    if escapes || s.contains(" \n") {
        Style::Double
    } else if s.contains('\n') {
        // A trailing space is invisible, and editors remove it.
        if s.ends_with(' ') {
            Style::Double
        } else {
            Style::Literal
        }
    } else if means_something_else(s) {
        Style::Double
    } else if has_indicator(s) || s.starts_with(' ') || s.ends_with(' ') {
        Style::Single
    } else {
        Style::Plain
    }
}

/// Reports whether the plain text would have syntax of YAML.
fn has_indicator(s: &str) -> bool {
    const FIRST: &str = "#,[]{}&*!|>'\"%@`";
    let lone = |rest: &str| rest.is_empty() || rest.starts_with(' ');
    s.starts_with("---")
        || s.starts_with("...")
        || s.starts_with(|c| FIRST.contains(c))
        || s.strip_prefix(['-', '?']).is_some_and(lone)
        || s.contains(": ")
        || s.ends_with(':')
        || s.contains(" #")
}

/// Reports whether a parser would read the plain text as another type than a string.
fn means_something_else(s: &str) -> bool {
    const WORDS: &str = " ~ = << y yes n no true false on off null .nan .inf +.inf -.inf ";
    let word = |s: &str| WORDS.contains(&format!(" {s} "));
    word(&s.to_ascii_lowercase()) || s.is_empty() || is_number(s) || is_time(s)
}

/// Reports whether the text is a number: an integer of base 2, 8, 10 or 16, a float, or a number of
/// base 60. Underscores may follow the first digit.
fn is_number(s: &str) -> bool {
    let text = s.strip_prefix(['+', '-']).unwrap_or(s);
    let begins = text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        || (text.len() < s.len() && text.starts_with('_'));
    if !begins {
        return false;
    }
    if is_base_60(text) {
        return true;
    }
    let text = text.replace('_', "");
    let all = |digits: &str, radix| !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    match text.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => return all(&text[2..], 16),
        Some("0o") => return all(&text[2..], 8),
        Some("0b") => return all(&text[2..], 2),
        _ => {}
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text.as_str(), None),
    };
    let exponent = exponent.is_none_or(|e| all(e.strip_prefix(['+', '-']).unwrap_or(e), 10));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| part.is_empty() || all(part, 10);
    exponent && digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty())
}

/// Reports whether the text is a base-60 number of YAML 1.1, such as `12:30:45.5`.
fn is_base_60(text: &str) -> bool {
    let (places, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut places = places.split(':');
    let first = places.next().unwrap_or_default();
    let mut rest = places.peekable();
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    first.starts_with(|c: char| c.is_ascii_digit())
        && digits(first)
        && digits(fraction)
        && rest.peek().is_some()
        && rest.all(|place| match place.as_bytes() {
            [ones] => ones.is_ascii_digit(),
            [tens, ones] => (b'0'..=b'5').contains(tens) && ones.is_ascii_digit(),
            _ => false,
        })
}

/// Reports whether the text is a date such as `2001-2-3`, with or without a time.
fn is_time(s: &str) -> bool {
    let (date, time) = match s.find(['T', 't', ' ']) {
        Some(at) => (&s[..at], Some(&s[at + 1..])),
        None => (s, None),
    };
    let short =
        |part: &str| matches!(part.len(), 1 | 2) && part.bytes().all(|b| b.is_ascii_digit());
    let date: Vec<&str> = date.split('-').collect();
    let [year, month, day] = date[..] else {
        return false;
    };
    let is_date =
        year.len() == 4 && year.bytes().all(|b| b.is_ascii_digit()) && short(month) && short(day);
    let is_clock = |time: &str| {
        let time = time.trim_start();
        let clock = time
            .find(['Z', '+', '-'])
            .map_or(time, |zone| &time[..zone]);
        let clock = clock.split_once('.').map_or(clock, |(clock, _)| clock);
        clock.split(':').count() == 3 && clock.split(':').all(short)
    };
    is_date && time.is_none_or(is_clock)
}

/// Formats a number as Kubernetes does: 30000 for 30000.0, and with an exponent, as in 1.5e+20,
/// whole floats from 1e15, other floats from 1e6, and floats below 0.0001.
pub fn number(n: &Number) -> String {
    match n.as_f64() {
        Some(f) if n.is_f64() => float(f),
        _ => n.to_string(),
    }
}

fn float(f: f64) -> String {
    if f.fract() == 0.0 && f.abs() < 1e15 {
        return format!("{:.0}", if f == 0.0 { 0.0 } else { f });
    }
    let shortest = format!("{f:e}");
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    match exponent.parse() {
        Ok(exponent @ -4..6) => {
            let _: i32 = exponent;
            f.to_string()
        }
        Ok(exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
        }
        Err(_) => shortest,
    }
}

/// Reports whether a string with this character can be written without escapes. If not, it needs
/// double quotes. Go's writer escapes emoji. Unlike Go's, this one also escapes characters that
/// change the direction of writing, so that a reader sees the text that a program reads.
pub fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{fffd}') && c != '\u{feff}' && !is_direction(c)
}

/// Reports whether a character breaks lines in YAML 1.1.
pub fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}
