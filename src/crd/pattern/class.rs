//! Character classes: `[a-z]`, `\d`, `\p{Greek}`.

use std::sync::LazyLock;

use super::escape;
use super::refused::Result;

/// A class for the `regex` crate that matches no character.
pub const NOTHING: &str = r"[^\x00-\x{10FFFF}]";

/// The names allowed in `\p{..}`, in lower case, without spaces, dashes and underscores.
static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let lines = include_str!("names.txt").lines();
    let names = lines.filter(|line| !line.starts_with('#'));
    names.flat_map(str::split_whitespace).collect()
});

const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

/// Parses a class in brackets; `text` starts with its opening bracket. Returns the class in the
/// syntax of the `regex` crate, and the rest of the text.
pub fn parse(text: &str) -> Result<(String, &str)> {
    let mut rest = &text[1..];
    let mut spelled = String::from("[");
    if let Some(negated) = rest.strip_prefix('^') {
        rest = negated;
        spelled.push('^');
    }
    let start = spelled.len();
    let mut is_first = true;
    while is_first || !rest.starts_with(']') {
        is_first = false;
        if let Some((class, after)) = named(rest)? {
            spelled += &class;
            rest = after;
        } else if let Some((class, after)) = escaped(rest)? {
            spelled += &class;
            rest = after;
        } else {
            let (first, after) = character(rest)?;
            let range = after.strip_prefix('-');
            let range = range.filter(|range| !range.is_empty() && !range.starts_with(']'));
            let (last, after) = match range {
                Some(range) => character(range)?,
                None => (first, after),
            };
            if last < first {
                let source = &rest[..rest.len() - after.len()];
                return Err(format!("the range `{source}` ends before it begins"));
            }
            spelled += &span(first, last);
            rest = after;
        }
    }
    if spelled.len() == start {
        // The class contains only numbers that are not characters. Negated, it matches every
        // character.
        spelled = if start == 1 {
            NOTHING.to_owned()
        } else {
            "(?s:.)".to_owned()
        };
        return Ok((spelled, &rest[1..]));
    }
    spelled.push(']');
    Ok((spelled, &rest[1..]))
}

/// Formats a range for the `regex` crate, which does not allow surrogates.
fn span(first: u32, last: u32) -> String {
    const SURROGATES: std::ops::RangeInclusive<u32> = 0xd800..=0xdfff;
    let first = if SURROGATES.contains(&first) {
        SURROGATES.end() + 1
    } else {
        first
    };
    let last = if SURROGATES.contains(&last) {
        SURROGATES.start() - 1
    } else {
        last
    };
    if first > last {
        return String::new();
    }
    format!(r"\x{{{first:X}}}-\x{{{last:X}}}")
}

/// Parses a character of a class. Returns its code point, and the rest of the text.
fn character(text: &str) -> Result<(u32, &str)> {
    match text.chars().next() {
        None => Err("a `[` has no `]`".to_owned()),
        Some('\\') => escape::parse(text),
        Some(c) => Ok((u32::from(c), &text[c.len_utf8()..])),
    }
}

/// Parses a POSIX class such as `[:alpha:]` inside brackets.
fn named(text: &str) -> Result<Option<(String, &str)>> {
    let Some((name, rest)) = text
        .strip_prefix("[:")
        .and_then(|text| text.split_once(":]"))
    else {
        return Ok(None);
    };
    if POSIX.contains(&name.strip_prefix('^').unwrap_or(name)) {
        Ok(Some((format!("[:{name}:]"), rest)))
    } else {
        Err(format!("unknown class `[:{name}:]`"))
    }
}

/// Parses a class such as `\d` or `\p{Greek}`. Returns it in a form for use inside brackets, and
/// the rest of the text; `None` if the text does not start with such a class.
pub fn escaped(text: &str) -> Result<Option<(String, &str)>> {
    const PERL: [(&str, &str); 6] = [
        (r"\d", "0-9"),
        (r"\D", "[^0-9]"),
        (r"\s", r"\t\n\f\r\x20"),
        (r"\S", r"[^\t\n\f\r\x20]"),
        (r"\w", "0-9A-Za-z_"),
        (r"\W", "[^0-9A-Za-z_]"),
    ];
    for (class, spelled) in PERL {
        if let Some(rest) = text.strip_prefix(class) {
            return Ok(Some((spelled.to_owned(), rest)));
        }
    }
    let unicode = text.strip_prefix(r"\p").map(|rest| (false, rest));
    let unicode = unicode.or_else(|| text.strip_prefix(r"\P").map(|rest| (true, rest)));
    let Some((negated, rest)) = unicode else {
        return Ok(None);
    };
    let unknown = |name: &str| {
        format!(
            "unknown class `{name}`: write a category or a script of one word, such as `\\p{{Lu}}`"
        )
    };
    let end = match rest.chars().next() {
        None => return Err(unknown(text)),
        Some('{') => rest.find('}').ok_or_else(|| unknown(text))? + 1,
        Some(c) => c.len_utf8(),
    };
    let (said, rest) = rest.split_at(end);
    let in_braces = said
        .strip_prefix('{')
        .and_then(|name| name.strip_suffix('}'));
    let name = in_braces.unwrap_or(said);
    let (negated, name) = match name.strip_prefix('^') {
        Some(name) => (!negated, name),
        None => (negated, name),
    };
    let key = name.replace([' ', '-', '_'], "").to_ascii_lowercase();
    if !NAMES.contains(&key.as_str()) {
        return Err(unknown(&text[..text.len() - rest.len()]));
    }
    let sign = if negated { 'P' } else { 'p' };
    Ok(Some((format!(r"\{sign}{{{key}}}"), rest)))
}
