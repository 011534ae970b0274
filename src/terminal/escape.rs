//! Escaping of control characters for the terminal. Names and texts come from user files, clusters
//! and operators; an escape sequence in them could move the cursor, set the title, or write to the
//! clipboard.

use crate::text::is_unprintable;

/// The maximum length of a preserved color sequence, in bytes.
const LONGEST: usize = 64;

/// Escapes control characters, characters that change the writing direction, and invisible ones, in
/// the form `\u{1b}`. Preserves line feeds and tabs.
pub fn escaped(text: &str) -> String {
    escape(text, |_| None)
}

/// Escapes a text that is shown on one line, or a part of a line: also line feeds. A name with a
/// line feed could otherwise imitate a line of rustop, such as `help: …` or an indented `caused by:
/// …`.
pub fn escaped_line(text: &str) -> String {
    escaped(text).replace('\n', "\\n")
}

/// Escapes the output of another program, preserving its colors. Colors are reset at the end of the
/// text.
pub fn colored(text: &str) -> String {
    let mut shown = escape(text, color);
    if shown.contains('\u{1b}') && !shown.ends_with("\u{1b}[0m") {
        shown.push_str("\u{1b}[0m");
    }
    shown
}

/// Escapes a text. `kept` returns the length of the sequence at the start of its argument that is
/// to be preserved.
fn escape(text: &str, kept: impl Fn(&str) -> Option<usize>) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_escaped) {
        shown.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(length) = kept(rest) {
            shown.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        }
        let mut chars = rest.chars();
        shown.extend(chars.next().into_iter().flat_map(char::escape_default));
        rest = chars.as_str();
    }
    shown + rest
}

fn is_escaped(c: char) -> bool {
    is_unprintable(c) && !matches!(c, '\n' | '\t')
}

/// Returns the length of a sequence that sets colors or weight, such as `ESC [ 1 ; 31 m`, or
/// `None`. A sequence that conceals text is not accepted.
fn color(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|c: char| !c.is_ascii_digit() && !matches!(c, ';' | ':'))?;
    let is_concealed = parameters[..end].split([';', ':']).any(|it| it == "8");
    let is_color = parameters[end..].starts_with('m') && end < LONGEST && !is_concealed;
    is_color.then_some(2 + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_not_obeyed() {
        for (hostile, shown) in [
            ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
            ("\u{9b}2Jx\u{7f}\0", "\\u{9b}2Jx\\u{7f}\\u{0}"),
            ("done\r\u{1b}[Kerror", "done\\r\\u{1b}[Kerror"),
            ("a\u{202e}b\u{2066}", "a\\u{202e}b\\u{2066}"),
            ("a\u{2028}help: b\u{feff}", "a\\u{2028}help: b\\u{feff}"),
            ("a\u{200b}b\u{ad}c\u{2060}", "a\\u{200b}b\\u{ad}c\\u{2060}"),
            ("a\u{e0041}b", "a\\u{e0041}b"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
        ] {
            assert_eq!(escaped(hostile), shown);
        }
        let plain = "größe\t✓ 👩‍💻\n  - a: b\n";
        assert_eq!(escaped(plain), plain);
    }

    #[test]
    fn a_name_begins_no_line() {
        for (message, shown) in [
            ("`a\nhelp: b` is wrong", "`a\\nhelp: b` is wrong"),
            ("`a\r\n\n  caused by: b`", "`a\\r\\n\\n  caused by: b`"),
        ] {
            assert_eq!(escaped_line(message), shown);
        }
    }

    #[test]
    fn another_programs_colours_stay_and_end_with_its_line() {
        assert_eq!(colored("\u{1b}[1;31mE\u{1b}[0m"), "\u{1b}[1;31mE\u{1b}[0m");
        assert_eq!(colored("\u{1b}[38:5:9mx"), "\u{1b}[38:5:9mx\u{1b}[0m");
        for hostile in [
            "\u{1b}[2J",
            "\u{1b}[8m",
            "\u{1b}[1;8m",
            "\u{1b}]52;c;eA==\u{7}",
            "\u{1b}[31",
            "\u{1b}",
            "\u{1b}[31 m",
        ] {
            assert!(!colored(hostile).contains('\u{1b}'), "{hostile:?}");
        }
    }
}
