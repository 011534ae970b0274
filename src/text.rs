//! Words in numbers, lines and columns.

use std::fmt::Display;

/// `1 file`, `2 files`.
pub fn count(n: usize, singular: &str) -> String {
    format!("{n} {singular}{}", if n == 1 { "" } else { "s" })
}

/// Quotes a word for a POSIX shell, if it needs quotes.
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./+:@,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        shell_quoted(word)
    }
}

/// Returns a word in single quotes of a POSIX shell.
pub fn shell_quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Returns a text as a Markdown code span in which nothing is markup and nothing ends the line.
pub fn code_span(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    // A backtick at an edge would lengthen the fence.
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Returns a name as it is if it cannot be Markdown markup, and as a code span otherwise.
pub fn markdown_name(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    if name.chars().all(is_plain) {
        name.to_owned()
    } else {
        code_span(name)
    }
}

/// Each on a line of its own, below the message that brings them.
pub fn indented(lines: &[impl Display]) -> String {
    let lines = lines.iter().map(|line| format!("  {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Columns as wide as their widest cell, two blanks apart.
pub fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let head = head.iter().map(ToString::to_string).collect();
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().enumerate();
        let cells = cells.map(|(column, cell)| format!("{cell:<0$}", width(column).unwrap_or(0)));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_spans_hold_any_text() {
        for (text, span) in [
            ("nginx:1.29", "`nginx:1.29`"),
            ("a`b", "``a`b``"),
            ("`a``", "``` `a`` ```"),
            ("a\n\n# b", "`a  # b`"),
        ] {
            assert_eq!(code_span(text), span);
        }
        assert_eq!(
            markdown_name("example.org/cow-operator"),
            "example.org/cow-operator"
        );
        assert_eq!(markdown_name("[x](y)"), "`[x](y)`");
    }
}
