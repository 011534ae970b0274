//! What is left to the user: files that nothing uses any more, and lines that name what is gone.

use std::path::Path;

use walkdir::{DirEntry, WalkDir};

use super::Result;
use super::transition::Step;
use crate::disk::regular;
use crate::resource::Resource;
use crate::session::Session;
use crate::tree::GENERATED;

/// Directories in which nothing is the user's to change.
const PASSED_OVER: [&str; 4] = [".git", "node_modules", "target", "vendor"];

/// Says which files are the user's to remove, and which lines to change, since they name one of `names`. What the kinds
/// that are `gone` were imported from stays what it is.
pub fn tell(session: &Session, step: &Step, names: &[String], gone: &[Resource]) -> Result<()> {
    let useless = step.useless(&session.dir)?;
    let terminal = session.terminal;
    terminal.list("Yours to remove", &useless);
    let is_source = |path: &str| {
        let mut endings = [".rs", ".yaml", ".yml"].iter();
        endings.any(|ending| path.ends_with(ending))
    };
    let lines = lines(
        &session.dir,
        &|path| {
            // What goes needs no change, and what is rendered has none of them.
            let is_meant = is_source(path)
                && !useless.contains(&path)
                && !step.removes_or_renders(path)
                && !gone.iter().any(|it| is_crd_of(&session.dir, it, path));
            is_meant.then(|| text_of(&session.dir, path))
        },
        &|line| names.iter().any(|name| names_it(line, name)),
    );
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    terminal.list("Yours to change, since they name what is gone", &lines);
    terminal.note("Then: rustop manifests");
    Ok(())
}

/// Whether the first line of a text says that rustop renders it.
pub fn is_generated(text: &str) -> bool {
    let first = text.lines().next();
    first.is_some_and(|first| first.contains(GENERATED))
}

/// Whether a file holds the CRD that a kind was imported from, as YAML or as Rust.
pub fn is_crd_of(root: &Path, resource: &Resource, path: &str) -> bool {
    let source = resource.imported.as_ref();
    source.is_some_and(|it| path == resource.api_file() || root.join(&it.from) == root.join(path))
}

/// What a file holds. What is no text names nothing.
pub fn text_of(root: &Path, path: &str) -> String {
    regular::text(&root.join(path)).unwrap_or_default()
}

/// The lines of a project that name something: `src/main.rs:3: use a::b;`. `text` gives what a file holds, and nothing
/// where it is not meant.
pub fn lines(
    root: &Path,
    text: &dyn Fn(&str) -> Option<String>,
    is_named: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let is_passed_over = |entry: &DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() > 0 && PASSED_OVER.contains(&name.as_ref())
    };
    let entries = WalkDir::new(root).sort_by_file_name().into_iter();
    let files = entries
        .filter_entry(|entry| !is_passed_over(entry))
        .flatten();
    let mut found = Vec::new();
    for file in files.filter(|file| file.file_type().is_file()) {
        let path = file.path().strip_prefix(root).unwrap_or(file.path());
        let path = path.to_string_lossy().replace('\\', "/");
        let Some(text) = text(&path) else { continue };
        if is_generated(&text) {
            continue;
        }
        let lines = (1..).zip(text.lines()).filter(|(_, line)| is_named(line));
        found.extend(lines.map(|(number, line)| format!("{path}:{number}: {}", line.trim())));
    }
    found
}

/// Whether a line has a name, and not only as part of a longer one.
pub fn names_it(line: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let goes_on = |rest: &str| name.ends_with(is_part) && rest.starts_with(is_part);
    line.match_indices(name)
        .any(|(at, _)| !line[..at].ends_with(is_part) && !goes_on(&line[at + name.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_name_is_another_one() {
        let name = "v1::cow";
        for line in ["use api::v1::cow::Cow;", "v1::cow", "(v1::cow)"] {
            assert!(names_it(line, name), "{line}");
        }
        for line in ["dev1::cow", "v1::cows", "v1::cow_from_v1", "v1:cow"] {
            assert!(!names_it(line, name), "{line}");
        }
    }
}
