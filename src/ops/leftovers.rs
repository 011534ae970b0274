//! The work that a deletion leaves to the user: unused files, and lines that contain deleted names.

use std::path::Path;

use walkdir::{DirEntry, WalkDir};

use super::Result;
use super::transition::PreparedChange;
use crate::disk::regular;
use crate::resource::Resource;
use crate::session::Session;
use crate::tree::is_generated;

/// Directories in which the user has nothing to change.
const PASSED_OVER: [&str; 4] = [".git", "node_modules", "target", "vendor"];

/// Lists the files that the user can remove, and the lines that the user must change because they
/// contain one of `names`. The CRDs from which the kinds in `gone` were imported stay as they are
/// and are not searched.
pub fn list(
    session: &Session,
    step: &PreparedChange,
    names: &[String],
    gone: &[Resource],
) -> Result<()> {
    let useless = step.useless(&session.dir)?;
    let terminal = session.terminal;
    terminal.list("For you to remove", &useless);
    let is_source = |path: &str| {
        let mut endings = [".rs", ".yaml", ".yml"].iter();
        endings.any(|ending| path.ends_with(ending))
    };
    let lines = lines(
        &session.dir,
        &|path| {
            // A file that is removed needs no change, and a rendered file does not contain the
            // names.
            let is_meant = is_source(path)
                && !useless.contains(&path)
                && !step.removes_or_renders(path)
                && !gone.iter().any(|it| is_crd_of(&session.dir, it, path));
            is_meant.then(|| text_of(&session.dir, path))
        },
        &|line| names.iter().any(|name| names_it(line, name)),
    );
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    terminal.list(
        "For you to change, because they refer to removed items",
        &lines,
    );
    terminal.note("Then: rustop manifests");
    Ok(())
}

/// Reports whether a file holds the CRD from which a kind was imported, as YAML or as Rust.
pub fn is_crd_of(root: &Path, resource: &Resource, path: &str) -> bool {
    let source = resource.imported.as_ref();
    source.is_some_and(|it| path == resource.api_file() || root.join(&it.from) == root.join(path))
}

/// Returns the content of a file; empty if it is not text.
pub fn text_of(root: &Path, path: &str) -> String {
    regular::text(&root.join(path)).unwrap_or_default()
}

/// Returns the lines of a project for which `is_named` is true, as `src/main.rs:3: use a::b;`.
/// `text` returns the content of a file, or `None` to skip it; its argument is the path relative to
/// `root`. Generated files are skipped.
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

/// Reports whether a line contains a name, and not only as part of a longer one.
pub fn names_it(line: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let goes_on = |rest: &str| name.ends_with(is_part) && rest.starts_with(is_part);
    line.match_indices(name)
        .any(|(at, _)| !line[..at].ends_with(is_part) && !goes_on(&line[at + name.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::GENERATED;

    #[test]
    fn generated_files_are_not_listed_wherever_their_header_is() {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("own.json", "{\n  \"title\": \"Lolcow\"\n}\n".to_owned()),
            (
                "generated.json",
                format!("{{\n  \"description\": \"{GENERATED}.\",\n  \"title\": \"Lolcow\"\n}}\n"),
            ),
        ] {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        let text = |path: &str| std::fs::read_to_string(dir.path().join(path)).ok();
        let found = lines(dir.path(), &text, &|line| line.contains("Lolcow"));
        assert_eq!(found, ["own.json:2: \"title\": \"Lolcow\""]);
    }

    #[test]
    fn a_name_does_not_match_a_longer_one() {
        let name = "v1::cow";
        for line in ["use api::v1::cow::Cow;", "v1::cow", "(v1::cow)"] {
            assert!(names_it(line, name), "{line}");
        }
        for line in ["dev1::cow", "v1::cows", "v1::cow_from_v1", "v1:cow"] {
            assert!(!names_it(line, name), "{line}");
        }
    }
}
