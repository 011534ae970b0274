//! Descriptions: plain text with code spans, fenced code, URLs and lists. Other markup in them is
//! shown as it was written.

use super::document::{Inline, Line, text};

/// Begins and ends a block of code.
const FENCE: &str = "```";

/// Splits a description into the parts of a line. Lines of a paragraph are joined, items of lists
/// and lines of code are not.
pub fn line(description: &str) -> Line {
    let mut all = Line::new();
    let mut paragraph = String::new();
    let mut after_blank = false;
    let mut in_code = false;
    for row in description.lines() {
        if row.trim_start().starts_with(FENCE) {
            flush(&mut paragraph, &mut all);
            in_code = !in_code;
            after_blank = !in_code;
            continue;
        }
        if in_code {
            all.extend((!all.is_empty()).then_some(Inline::Break));
            all.push(line_of_code(row));
            continue;
        }
        let row = row.trim();
        let is_new = row.is_empty() || is_item(row) || after_blank;
        if is_new {
            flush(&mut paragraph, &mut all);
        }
        if !row.is_empty() {
            if is_new && !all.is_empty() {
                let breaks = if after_blank { 2 } else { 1 };
                all.extend(std::iter::repeat_n(Inline::Break, breaks));
            }
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(row);
        }
        after_blank = row.is_empty();
    }
    flush(&mut paragraph, &mut all);
    all
}

/// Returns true if a description marks its field as deprecated, as Go's convention has it.
pub fn is_deprecated(description: &str) -> bool {
    let mut rows = description.lines().map(str::trim_start);
    rows.any(|row| row.starts_with("Deprecated:") || row.starts_with("DEPRECATED"))
}

/// Returns a line of code. Its indentation becomes spaces that no markup language removes.
fn line_of_code(row: &str) -> Inline {
    let text = row.trim();
    let indentation = row.trim_end().chars().take_while(|c| c.is_whitespace());
    Inline::Code("\u{a0}".repeat(indentation.count()) + text)
}

/// Ends a paragraph.
fn flush(paragraph: &mut String, all: &mut Line) {
    if !paragraph.is_empty() {
        spans(paragraph, all);
        paragraph.clear();
    }
}

fn is_item(row: &str) -> bool {
    let row = row.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", "+ ", ". ", ") "]
        .iter()
        .any(|marker| row.starts_with(marker))
}

/// Splits a paragraph at its code spans. A backtick without a partner is text.
fn spans(paragraph: &str, all: &mut Line) {
    let mut rest = paragraph;
    while let Some((before, after)) = rest.split_once('`') {
        let Some((code, after)) = after.split_once('`').filter(|(code, _)| !code.is_empty()) else {
            break;
        };
        urls(before, all);
        all.push(Inline::Code(code.to_owned()));
        rest = after;
    }
    urls(rest, all);
}

/// Splits a text at its URLs.
fn urls(paragraph: &str, all: &mut Line) {
    let mut start = 0;
    for (at, _) in paragraph.match_indices("http") {
        if at < start {
            continue;
        }
        if let Some(url) = url(&paragraph[at..]) {
            push(&paragraph[start..at], all);
            all.push(Inline::Url(url.to_owned()));
            start = at + url.len();
        }
    }
    push(&paragraph[start..], all);
}

/// Returns the URL at the beginning of a text, without the punctuation of the sentence around it.
fn url(text: &str) -> Option<&str> {
    let address = ["https://", "http://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme))?;
    let end = address.find(|c| !is_of_url(c)).unwrap_or(address.len());
    let address = address[..end].trim_end_matches(['.', ',', ':', ';', '!', '?', '\'', ')']);
    let scheme = text.find("://")? + "://".len();
    (!address.is_empty()).then(|| &text[..scheme + address.len()])
}

fn push(part: &str, all: &mut Line) {
    if !part.is_empty() {
        all.push(text(part));
    }
}

/// Returns true for the characters of URLs that no markup language interprets.
fn is_of_url(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~:/?#@!$&'()*+,;=%".contains(c)
}
