//! Texts that match a `pattern` of a schema.

use regex_syntax::{
    ParserBuilder,
    hir::{Class, ClassBytes, Hir, HirKind, Repetition},
};

/// Maximum length of a text.
const LONGEST: usize = 10_000;
/// Maximum number of repetitions in addition to the required ones.
const MORE: u32 = 2;

/// Returns the `n`th of the texts that match a pattern, counted from 0 and starting over if there
/// are fewer. `None` if the text would be longer than [`LONGEST`] or not UTF-8, or if the pattern
/// is not supported: a few expressions of the API server are not valid in Rust's `regex`.
///
/// Anchors and word boundaries are ignored, so the caller checks that the text matches.
pub(super) fn text(pattern: &str, n: usize) -> Option<String> {
    let mut parser = ParserBuilder::new().unicode(false).utf8(false).build();
    let mut text = Vec::new();
    write(&parser.parse(pattern).ok()?, n, &mut text)?;
    String::from_utf8(text).ok()
}

fn write(part: &Hir, n: usize, text: &mut Vec<u8>) -> Option<()> {
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.extend(&literal.0),
        HirKind::Class(Class::Bytes(class)) => text.push(character(class, n)?),
        HirKind::Class(Class::Unicode(class)) => text.push(character(&class.to_byte_class()?, n)?),
        HirKind::Capture(capture) => write(&capture.sub, n, text)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, n, text))?,
        HirKind::Alternation(parts) => write(&parts[n % parts.len()], n, text)?,
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let more = u32::try_from(n).ok()? % (MORE + 1);
            let times = min.saturating_add(more).min(max.unwrap_or(u32::MAX));
            (0..times).try_for_each(|_| write(sub, n, text))?;
        }
    }
    (text.len() <= LONGEST).then_some(())
}

/// Returns a character of the class, preferably a letter or digit.
fn character(class: &ClassBytes, n: usize) -> Option<u8> {
    let all = || {
        class
            .ranges()
            .iter()
            .flat_map(|range| range.start()..=range.end())
    };
    let words: Vec<_> = all().filter(u8::is_ascii_alphanumeric).collect();
    let others = || all().filter(u8::is_ascii).collect();
    let choices: Vec<_> = if words.is_empty() { others() } else { words };
    choices.get(n % choices.len().max(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pattern: &str) -> Vec<String> {
        (0..4).filter_map(|n| text(pattern, n)).collect()
    }

    #[test]
    fn generated_strings_match_the_pattern_and_vary() {
        let engines = ["Postgres/0", "MySql/11", "Postgres/222", "MySql/3"];
        assert_eq!(texts("^(Postgres|MySql)/[0-9]{1,3}$"), engines);
        assert_eq!(texts(r"^\d+(\.x)?$"), ["0", "11.x", "222.x", "3"]);
        assert_eq!(texts(r"^[^/\w]$"), ["\0", "\u{1}", "\u{2}", "\u{3}"]);
        assert_eq!(texts("^ü{2}$")[0], "üü");
    }

    #[test]
    fn invalid_or_huge_patterns_generate_no_strings() {
        assert_eq!(texts("("), [""; 0]);
        assert_eq!(texts("((a{999}){999}){999}"), [""; 0]);
        assert_eq!(texts("[^ -~]")[0].len(), 1);
    }
}
