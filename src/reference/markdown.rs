//! GitHub-flavored Markdown, which is also correct for mdBook, Hugo and Jekyll: nothing in a text
//! becomes markup, a directive of mdBook or a template of Jekyll.

use super::document::{Block, Inline, Line, TableRow, visible};

/// Renders a document as Markdown, with a comment at its beginning.
pub fn write(blocks: &[Block], header: &str) -> String {
    let blocks = blocks.iter().map(block);
    let text = blocks.collect::<Vec<_>>().join("\n");
    format!("<!-- {header} -->\n\n{text}")
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading {
            level,
            anchor,
            line,
        } => {
            let anchor = anchor.as_ref();
            let anchor = anchor.map(|name| format!("<a id=\"{name}\"></a>\n\n"));
            let marks = "#".repeat(*level);
            format!("{}{marks} {}\n", anchor.unwrap_or_default(), inline(line))
        }
        Block::Paragraph(line) => format!("{}\n", paragraph(line)),
        Block::List(lines) => {
            let items = lines.iter().map(|line| format!("- {}\n", paragraph(line)));
            items.collect()
        }
        Block::Table { head, rows } => table(head, rows),
        Block::Yaml(text) => fenced(text),
    }
}

fn table(head: &[&str], rows: &[TableRow]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let head_line = line(head.iter().map(ToString::to_string).collect());
    let rule = line(head.iter().map(|_| "---".to_owned()).collect());
    let rows = rows.iter().map(|row| {
        let mut cells: Vec<_> = row.cells.iter().map(inline).collect();
        if let (Some(anchor), Some(first)) = (&row.anchor, cells.first_mut()) {
            first.insert_str(0, &format!("<a id=\"{anchor}\"></a>"));
        }
        line(cells)
    });
    head_line + &rule + &rows.collect::<String>()
}

/// Returns a text in a fence that is longer than any run of backticks in it.
fn fenced(text: &str) -> String {
    let text = visible(text);
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or_default().max(2) + 1);
    format!("{fence}yaml\n{}\n{fence}\n", text.trim_end())
}

/// Returns a line that does not begin with the mark of a heading, a list, a quote or a rule.
fn paragraph(line: &Line) -> String {
    let text = inline(line);
    let mark = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = mark.len() < text.len() && mark.starts_with(['.', ')']);
    if is_number {
        let digits = text.len() - mark.len();
        format!("{}\\{mark}", &text[..digits])
    } else if text.starts_with(['#', '-', '+', '=', '>']) {
        format!("\\{text}")
    } else {
        text
    }
}

fn inline(line: &Line) -> String {
    let parts = line.iter().map(|part| match part {
        Inline::Text(text) => escaped(text),
        Inline::Code(text) => code(text),
        Inline::Strong(text) => format!("**{}**", escaped(text)),
        Inline::Anchor { to, label } => format!("[{}](#{to})", code(label)),
        Inline::Link { url, label } => format!("[{}]({url})", code(label)),
        Inline::Url(url) => format!("<{url}>"),
        Inline::Break => "<br />".to_owned(),
    });
    parts.collect()
}

/// Escapes a text. The pipe would end a table cell, and braces would begin a directive or a
/// template.
fn escaped(text: &str) -> String {
    let text = visible(text);
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied().unwrap_or(' ');
        match c {
            '\n' | '\t' => out.push(' '),
            '<' | '&' | '|' | '{' | '}' => out.push_str(&entity(c)),
            // An underscore within a word is not markup.
            '_' if before.is_alphanumeric() && after.is_alphanumeric() => out.push(c),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '$' => out.extend(['\\', c]),
            c => out.push(c),
        }
        before = c;
    }
    out
}

/// Returns a code span; as HTML if a span cannot hold the text in every place.
fn code(text: &str) -> String {
    let text = visible(text).replace(['\n', '\t'], " ");
    let is_markup = ["|", "`", "{{", "{%", "{#"]
        .iter()
        .any(|it| text.contains(it));
    if !is_markup && !text.is_empty() && text.trim() == text {
        return format!("`{text}`");
    }
    // Quotes are not plain: mdBook replaces them with typographic ones.
    let is_plain = |c: char| c.is_alphanumeric() || " !%()+,-./:;=?@".contains(c);
    let text = text.chars();
    let text: String = text
        .map(|c| {
            if is_plain(c) {
                c.to_string()
            } else {
                entity(c)
            }
        })
        .collect();
    format!("<code>{text}</code>")
}

fn entity(c: char) -> String {
    format!("&#{};", u32::from(c))
}
