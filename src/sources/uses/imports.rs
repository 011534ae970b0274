//! What the `use` lines of a source text make of a name.

use std::collections::HashMap;

/// Deeper than anybody nests the braces of a `use`.
const DEEPEST: usize = 16;

/// Names, and the paths that they stand for.
#[derive(Debug, Default)]
pub struct Imports(HashMap<String, String>);

impl Imports {
    /// Reads the `use` lines of a text without comments and strings.
    pub fn of(code: &str) -> Self {
        let mut imports = Self::default();
        let mut at = 0;
        while let Some(length) = code[at..].find("use ") {
            let start = at + length;
            at = start + "use ".len();
            let before = code[..start].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let Some(length) = code[at..].find(';') else {
                break;
            };
            imports.add("", &code[at..at + length], 0);
            at += length;
        }
        imports
    }

    /// `b::{c, d as e}` below the path `above`.
    fn add(&mut self, above: &str, tree: &str, depth: usize) {
        let tree = tree.trim().trim_start_matches("::");
        if depth > DEEPEST {
            return;
        }
        if let Some((path, branches)) = tree.split_once('{') {
            let path = format!("{above}{}", without_space(path));
            let branches = branches.trim_end().strip_suffix('}').unwrap_or(branches);
            for branch in split(branches) {
                self.add(&path, branch, depth + 1);
            }
            return;
        }
        let (path, alias) = tree.split_once(" as ").unwrap_or((tree, ""));
        let path = format!("{above}{}", without_space(path));
        let path = path.strip_suffix("::self").unwrap_or(&path);
        let last = path.rsplit("::").next().unwrap_or_default();
        let name = if alias.is_empty() { last } else { alias.trim() };
        self.0.insert(name.to_owned(), path.to_owned());
    }

    /// The whole path of a name in the text, if it leads into the types of Kubernetes or the project.
    pub fn resolve(&self, name: &str) -> Option<String> {
        let name = name.trim_start_matches("::");
        let (first, rest) = name.split_once("::").unwrap_or((name, ""));
        let first = self.0.get(first).map_or(first, String::as_str);
        let path = if rest.is_empty() {
            first.to_owned()
        } else {
            format!("{first}::{rest}")
        };
        let known = path.starts_with("k8s_openapi::") || path.starts_with("api::");
        known.then_some(path)
    }
}

fn without_space(path: &str) -> String {
    path.split_whitespace().collect()
}

/// The parts between commas that are in no braces.
fn split(branches: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    branches.split(move |c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
}
