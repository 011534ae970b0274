//! A document without markup: blocks, which consist of inline parts.

/// A part of a line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Inline {
    Text(String),
    Code(String),
    Strong(String),
    /// A link to a place in the document, shown as code.
    Anchor {
        to: String,
        label: String,
    },
    /// A link to a URL, shown as code.
    Link {
        url: String,
        label: String,
    },
    /// A link to an `http` or `https` URL, which is also its text.
    Url(String),
    /// A line break within a paragraph or a cell.
    Break,
}

/// A line of text, or the content of a table cell.
pub type Line = Vec<Inline>;

/// A block of a document, such as a heading or a paragraph.
#[derive(Clone, Debug)]
pub enum Block {
    Heading {
        /// 1 for the title of the document.
        level: usize,
        anchor: Option<String>,
        line: Line,
    },
    Paragraph(Line),
    List(Vec<Line>),
    Table {
        head: &'static [&'static str],
        rows: Vec<TableRow>,
    },
    /// A YAML text.
    Yaml(String),
}

/// A row of a table. It has as many cells as the head.
#[derive(Clone, Debug)]
pub struct TableRow {
    /// The anchor of the row, if a link may lead to it.
    pub anchor: Option<String>,
    pub cells: Vec<Line>,
}

impl TableRow {
    /// Creates a row without an anchor.
    pub fn of(cells: Vec<Line>) -> Self {
        Self {
            anchor: None,
            cells,
        }
    }
}

/// Returns a part of a line that is shown as it is.
pub fn text(text: impl Into<String>) -> Inline {
    Inline::Text(text.into())
}

/// Returns a part of a line for a program.
pub fn code(text: impl Into<String>) -> Inline {
    Inline::Code(text.into())
}

/// Joins texts as code, separated by commas.
pub fn codes(all: impl IntoIterator<Item = impl Into<String>>) -> Line {
    joined(all.into_iter().map(|it| vec![code(it)]), &text(", "))
}

/// Joins lines with a separator.
pub fn joined(lines: impl IntoIterator<Item = Line>, separator: &Inline) -> Line {
    let mut all = Line::new();
    for line in lines {
        if !all.is_empty() {
            all.push(separator.clone());
        }
        all.extend(line);
    }
    all
}

/// Returns a line `label: value`.
pub fn labeled(label: &str, value: Line) -> Line {
    let mut line = vec![text(format!("{label}: "))];
    line.extend(value);
    line
}

/// Returns a text in which no character is invisible or changes the direction of writing. Line
/// feeds and tabs stay.
pub fn visible(text: &str) -> String {
    let is_hidden =
        |c: char| (c.is_control() && !"\n\t".contains(c)) || crate::text::is_direction(c);
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}
