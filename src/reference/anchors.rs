//! The names of the places in a document to which links lead.

use std::collections::BTreeSet;

/// The anchors of a document.
#[derive(Debug, Default)]
pub struct Anchors {
    taken: BTreeSet<String>,
}

impl Anchors {
    /// Returns an anchor for a path such as `page.v1.spec.ports`. Its characters need no escaping
    /// in URLs, Markdown and HTML. A number tells it from an earlier anchor of the same name.
    pub fn of(&mut self, path: &str) -> String {
        let safe = |c: char| {
            if c.is_ascii_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '-'
            }
        };
        let name: String = path.chars().map(safe).collect();
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        let free = names.find(|name| !self.taken.contains(name));
        let free = free.expect("there is always another number");
        self.taken.insert(free.clone());
        free
    }
}
