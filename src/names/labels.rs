//! Validation of the keys of labels and annotations, and of the values of labels.

use super::object_name;

/// Reports whether a text is a valid key: a name, optionally after a DNS subdomain and `/`.
pub fn is_qualified_name(text: &str) -> bool {
    match text.split_once('/') {
        Some((prefix, name)) => object_name(prefix).is_ok() && is_name(name),
        None => is_name(text),
    }
}

/// Reports whether a text is valid as the name in a key, or as a nonempty value of a label: at most
/// 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends.
pub fn is_name(text: &str) -> bool {
    let ends = |c: char| c.is_ascii_alphanumeric();
    text.len() <= 63
        && text.starts_with(ends)
        && text.ends_with(ends)
        && text.chars().all(|c| ends(c) || "-_.".contains(c))
}
