//! Formatting of groups and resources in markers and messages.

/// Returns the canonical name of a group: `core` becomes the empty string.
pub fn group_name(text: &str) -> &str {
    if text == "core" { "" } else { text }
}

/// Returns a group as a marker writes it: the core group is `""`.
pub fn quoted(group: &str) -> &str {
    if group.is_empty() { "\"\"" } else { group }
}

/// Returns the resource without its subresource: `pods` for `pods/log`.
pub fn without_part(resource: &str) -> &str {
    resource.split('/').next().unwrap_or(resource)
}

/// Returns the words in backticks, separated by commas: `` `a`, `b` ``.
pub fn list(words: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let words = words.into_iter().map(|word| format!("`{}`", word.as_ref()));
    words.collect::<Vec<_>>().join(", ")
}
