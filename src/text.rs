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
        format!("'{}'", word.replace('\'', r"'\''"))
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
