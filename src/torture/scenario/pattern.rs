//! Generates strings for the `pattern` of a schema.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassBytes, Hir, HirKind};

/// The maximum length of a string: one of a larger pattern would only take time.
const LONGEST: usize = 1_000;

/// Returns a string built from a pattern. It matches unless the pattern contains anchors or word
/// boundaries in other places than its ends, so the caller must check it. Each repeated part occurs
/// `extra_repetitions` times more than it must, as far as it may; the number also selects one of
/// several alternatives. Returns `None` if Rust's `regex` does not support the pattern, if a class
/// has no printable ASCII character, or if the string would be longer than 1,000 bytes.
pub fn matching_text(pattern: &str, extra_repetitions: u32) -> Option<String> {
    let mut parser = ParserBuilder::new().unicode(false).utf8(false).build();
    let mut text = Vec::new();
    write(&parser.parse(pattern).ok()?, extra_repetitions, &mut text)?;
    String::from_utf8(text).ok()
}

fn write(part: &Hir, extra_repetitions: u32, text: &mut Vec<u8>) -> Option<()> {
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.extend(&literal.0),
        HirKind::Class(Class::Bytes(class)) => text.push(character(class)?),
        HirKind::Class(Class::Unicode(class)) => text.push(character(&class.to_byte_class()?)?),
        HirKind::Capture(capture) => write(&capture.sub, extra_repetitions, text)?,
        HirKind::Concat(parts) => parts
            .iter()
            .try_for_each(|part| write(part, extra_repetitions, text))?,
        HirKind::Alternation(parts) => write(
            &parts[extra_repetitions as usize % parts.len()],
            extra_repetitions,
            text,
        )?,
        HirKind::Repetition(repetition) => {
            let times = repetition.min.saturating_add(extra_repetitions);
            let times = times.min(repetition.max.unwrap_or(u32::MAX));
            (0..times).try_for_each(|_| write(&repetition.sub, extra_repetitions, text))?;
        }
    }
    (text.len() <= LONGEST).then_some(())
}

/// Returns a character of a class, preferably a letter or a digit other than 0, which many
/// operators treat as unset.
fn character(class: &ClassBytes) -> Option<u8> {
    let ranges = || class.ranges().iter();
    let contains = |byte: &u8| ranges().any(|range| (range.start()..=range.end()).contains(byte));
    let preferred = (b'a'..=b'z').chain(b'1'..=b'9').chain(b'A'..=b'Z');
    let others = (b'!'..=b'~').chain([b' ']);
    preferred.chain(others).find(contains)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_texts_match_their_pattern() {
        for (pattern, texts) in [
            ("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", ["a", "aaa", "aaaa"]),
            (r"^([0-9]+)(s|m|h)$", ["1h", "11h", "111h"]),
            ("^(small|extra-large)$", ["small", "extra-large", "small"]),
            (
                r"^(\*|[1-5]?[0-9]) \* \* \* \*$",
                ["* * * * *", "11 * * * *", "* * * * *"],
            ),
            (r"^v\d+\.\d{2}$", ["v1.11", "v11.11", "v111.11"]),
            ("^.{3}$", ["aaa"; 3]),
        ] {
            let matcher = regex::Regex::new(pattern).unwrap();
            for (more, text) in (0..).zip(texts) {
                assert_eq!(matching_text(pattern, more).as_deref(), Some(text));
                assert!(matcher.is_match(text), "{text}");
            }
        }
    }

    #[test]
    fn no_text_is_generated_from_invalid_or_huge_patterns() {
        for pattern in ["(", "(?=a)b", "((a{999}){999}){999}"] {
            assert_eq!(matching_text(pattern, 0), None, "{pattern}");
        }
    }
}
