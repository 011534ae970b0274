//! What the keys and values of labels and annotations may be.

use super::object_name;

/// A name, with a DNS name and `/` before it or not.
pub fn is_qualified_name(text: &str) -> bool {
    match text.split_once('/') {
        Some((prefix, name)) => object_name(prefix).is_ok() && is_name(name),
        None => is_name(text),
    }
}

/// The last part of a key, or a value that is not empty.
pub fn is_name(text: &str) -> bool {
    let ends = |c: char| c.is_ascii_alphanumeric();
    text.len() <= 63
        && text.starts_with(ends)
        && text.ends_with(ends)
        && text.chars().all(|c| ends(c) || "-_.".contains(c))
}
