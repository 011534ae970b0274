//! Groups and resources, as markers and messages have them.

/// The core group has two names.
pub fn group_name(text: &str) -> &str {
    if text == "core" { "" } else { text }
}

/// A group as a marker has it.
pub fn quoted(group: &str) -> &str {
    if group.is_empty() { "\"\"" } else { group }
}

/// `pods/log` is a part of `pods`.
pub fn without_part(resource: &str) -> &str {
    resource.split('/').next().unwrap_or(resource)
}

/// `` `a`, `b` ``
pub fn list(words: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let words = words.into_iter().map(|word| format!("`{}`", word.as_ref()));
    words.collect::<Vec<_>>().join(", ")
}
