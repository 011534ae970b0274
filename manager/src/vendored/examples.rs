//! Examples without the lines that only make them compile: they are tried here.
//!
//! `build.rs` has this file; of the crate tests alone do.

use std::borrow::Cow;

/// A text with such examples.
pub fn shown(text: &str) -> String {
    let mut kept: Vec<Cow<'_, str>> = Vec::new();
    let mut in_example = false;
    for line in text.lines() {
        let doc = documentation(line);
        in_example ^= doc.is_some_and(|doc| doc.starts_with("```"));
        match doc.filter(|_| in_example) {
            Some(doc) if doc == "#" || doc.starts_with("# ") => {}
            Some(doc) => kept.push(shown_only(line, doc).map_or(line.into(), Cow::Owned)),
            None => kept.push(line.into()),
        }
    }
    kept.push("".into());
    kept.join("\n")
}

/// What a line of documentation says.
fn documentation(line: &str) -> Option<&str> {
    let line = line.trim_ascii_start();
    let text = line.strip_prefix("///").or(line.strip_prefix("//!"));
    text.map(str::trim)
}

/// A line that begins an example of Rust, as one that is shown and not compiled: what a project has of it lacks lines
/// that only the compiler needs.
fn shown_only(line: &str, doc: &str) -> Option<String> {
    let is_rust = ["```", "```no_run", "```should_panic"].contains(&doc);
    is_rust.then(|| format!("{}```ignore", line.trim_end_matches(doc)))
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_only_makes_an_example_compile_is_left_out() {
        let text = "//! # Title\n//!\n//! ```\n//! # use x::y;\n//! y();\n//! #\n//! #[z]\n//! ```\n//! # Title\n";
        let shown = "//! # Title\n//!\n//! ```ignore\n//! y();\n//! #[z]\n//! ```\n//! # Title\n";
        assert_eq!(super::shown(text), shown);
    }
}
