//! One HTML page without scripts and without requests for other files.

use super::document::{Block, Inline, Line, TableRow, visible};
use crate::text::markup_escaped;

const STYLE: &str = include_str!("style.css");

/// Renders a document as one HTML page, with a comment at its beginning, its style, and no
/// scripts.
pub fn write(blocks: &[Block], header: &str) -> String {
    let body: String = blocks.iter().map(block).collect();
    format!(
        "<!doctype html>
<!-- {header} -->
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<meta name=\"color-scheme\" content=\"light dark\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">
<title>API reference</title>
<style>
{STYLE}</style>
</head>
<body>
<main>
{body}</main>
</body>
</html>
"
    )
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading {
            level,
            anchor,
            line,
        } => format!(
            "<h{level}{}>{}</h{level}>\n",
            id(anchor.as_ref()),
            inline(line)
        ),
        Block::Paragraph(line) => format!("<p>{}</p>\n", inline(line)),
        Block::List(lines) => {
            let items = lines
                .iter()
                .map(|line| format!("<li>{}</li>\n", inline(line)));
            format!("<ul>\n{}</ul>\n", items.collect::<String>())
        }
        Block::Table { head, rows } => table(head, rows),
        Block::Yaml(text) => {
            format!("<pre><code>{}\n</code></pre>\n", escaped(text.trim_end()))
        }
    }
}

fn table(head: &[&str], rows: &[TableRow]) -> String {
    let head = head.iter().map(|name| format!("<th>{name}</th>"));
    let head = head.collect::<String>();
    let rows = rows.iter().map(|row| {
        let cells = row
            .cells
            .iter()
            .map(|cell| format!("<td>{}</td>", inline(cell)));
        format!(
            "<tr{}>{}</tr>\n",
            id(row.anchor.as_ref()),
            cells.collect::<String>()
        )
    });
    let rows: String = rows.collect();
    format!(
        "<div class=\"table\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

fn id(anchor: Option<&String>) -> String {
    let id = anchor.map(|name| format!(" id=\"{name}\""));
    id.unwrap_or_default()
}

fn inline(line: &Line) -> String {
    let parts = line.iter().map(|part| match part {
        Inline::Text(text) => escaped(text),
        Inline::Code(text) => code(text),
        Inline::Strong(text) => format!("<strong>{}</strong>", escaped(text)),
        Inline::Anchor { to, label } => format!("<a href=\"#{to}\">{}</a>", code(label)),
        Inline::Link { url, label } => {
            format!("<a href=\"{}\">{}</a>", escaped(url), code(label))
        }
        Inline::Url(url) => format!("<a href=\"{0}\">{0}</a>", escaped(url)),
        Inline::Break => "<br>".to_owned(),
    });
    parts.collect()
}

fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

fn escaped(text: &str) -> String {
    markup_escaped(&visible(text))
}
