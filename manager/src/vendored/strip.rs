//! Sources without what is not for a project.
//!
//! `build.rs` has this file, too, and leaves out tests, so that they are in no program.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Files of the crate without tests, and without what is not of these features: of `None` the lines that ask for a
/// feature stay. Paths are relative to `src/`, with `/` in what comes back, sorted.
pub fn sources(mut files: Vec<(&Path, &str)>, features: Option<&[&str]>) -> Vec<(String, String)> {
    // Each file after the one that declares it.
    files.sort_by_cached_key(|(path, _)| match path.parent() {
        Some(dir) if path.ends_with("lib.rs") || path.ends_with("mod.rs") => dir.to_owned(),
        _ => path.with_extension(""),
    });
    let mut kept = Vec::new();
    let mut unused: Vec<PathBuf> = Vec::new();
    for (path, text) in files {
        let is_of =
            |module: &PathBuf| path == module || path.starts_with(module.with_extension(""));
        if !unused.iter().any(is_of) {
            let (text, modules) = chosen(text, features);
            unused.extend(modules.iter().map(|module| module.path(path)));
            kept.push((path.to_string_lossy().replace('\\', "/"), text));
        }
    }
    kept.sort();
    kept
}

/// A module that was left out and is a file of its own.
struct Module {
    name: String,
    /// What its `#[path]` says.
    file: Option<String>,
}

impl Module {
    /// The file of a module that `parent` declares.
    fn path(&self, parent: &Path) -> PathBuf {
        let dir = parent.parent().unwrap_or(Path::new(""));
        let file = |dir: &Path| dir.join(&self.name).with_extension("rs");
        match &self.file {
            Some(file) => dir.join(file),
            None if parent.ends_with("mod.rs") || parent.ends_with("lib.rs") => file(dir),
            None => file(&parent.with_extension("")),
        }
    }
}

/// Whether the item below a line is for a project with these features; `None` where the line does not say, or is to
/// stay.
fn is_for(line: &str, features: Option<&[&str]>) -> Option<bool> {
    // Of bytes, since this is asked of every line.
    if !line.as_bytes().trim_ascii_start().starts_with(b"#[cfg(") {
        return None;
    }
    let condition = line.trim().strip_prefix("#[cfg(")?.strip_suffix(")]")?;
    if condition == "test" {
        return Some(false);
    }
    let features = features?;
    let chosen = |condition| Some(features.contains(&quoted(condition, "feature = ")?));
    match condition.strip_prefix("not(") {
        Some(other) => chosen(other).map(|is_chosen| !is_chosen),
        None => chosen(condition),
    }
}

/// A text without the items that are not for a project, and those of them that are modules with files of their own.
/// It relies on what rustfmt makes of each: an item ends in its line, or in a line that is indented as it began. A
/// field and a statement are items, too.
fn chosen(text: &str, features: Option<&[&str]>) -> (String, Vec<Module>) {
    let mut kept: Vec<Cow<'_, str>> = Vec::new();
    let mut modules = Vec::new();
    let mut lines = text.lines();
    let mut in_example = false;
    while let Some(line) = lines.next() {
        if let Some(doc) = documentation(line) {
            in_example ^= doc.starts_with("```");
            if in_example && let Some(shown) = shown_only(line, doc) {
                kept.push(shown.into());
                continue;
            }
            if in_example && (doc == "#" || doc.starts_with("# ")) {
                continue;
            }
        }
        match is_for(line, features) {
            Some(false) => {}
            Some(true) => continue,
            None => {
                kept.push(line.into());
                continue;
            }
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        while kept
            .last()
            .is_some_and(|line| is_about_the_next(line, indent))
        {
            kept.pop();
        }
        let mut file = None;
        for line in lines.by_ref() {
            let text = line.trim();
            if let Some(path) = quoted(text, "#[path = ") {
                file = Some(path.to_owned());
            }
            if let Some((_, name)) = text.trim_end_matches(';').split_once("mod ")
                && text.ends_with(';')
            {
                let (name, file) = (name.to_owned(), file.take());
                modules.push(Module { name, file });
            }
            if ends_item(line, indent) {
                break;
            }
        }
        let is_first = kept.last().is_some_and(|line| line.ends_with('{'));
        let is_apart = kept.last().is_some_and(|line| line.is_empty());
        match lines.clone().next().map(str::trim) {
            Some("") if is_first || is_apart => drop(lines.next()),
            None | Some("}") if is_apart => drop(kept.pop()),
            _ => {}
        }
    }
    let mut text = kept.join("\n");
    text.push('\n');
    (text, modules)
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

/// Whether a line belongs to the item below it: a doc comment or an attribute.
fn is_about_the_next(line: &str, indent: &str) -> bool {
    line.strip_prefix(indent)
        .is_some_and(|rest| rest.starts_with("///") || rest.starts_with("#["))
}

fn ends_item(line: &str, indent: &str) -> bool {
    let Some(rest) = line.strip_prefix(indent) else {
        return false;
    };
    let is_deeper = rest.starts_with(' ');
    !is_deeper && rest.ends_with([';', '}', ','])
}

fn quoted<'a>(text: &'a str, before: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(before)?.strip_prefix('"')?;
    Some(rest.split_once('"')?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_what_only_they_need_are_left_out() {
        let text = "mod a;\n#[cfg(test)]\nmod mock;\nmod z;\n\nfn f() {\n    one();\n}\n\n/// For tests.\n#[cfg(test)]\n\
                    impl X {\n    fn g() {}\n}\n\nimpl Y {\n    fn h() {}\n\n    /// For tests.\n    #[cfg(test)]\n    fn i() {\n        \
                    j();\n    }\n}\n\nimpl Z {\n    #[cfg(test)]\n    fn k() {}\n\n    fn l() {}\n}\n\n#[cfg(test)]\n#[path = \"x_tests.rs\"]\nmod tests;\n";
        let (text, modules) = chosen(text, Some(&[]));
        assert_eq!(
            text,
            "mod a;\nmod z;\n\nfn f() {\n    one();\n}\n\nimpl Y {\n    fn h() {}\n}\n\nimpl Z {\n    fn l() {}\n}\n"
        );
        let paths: Vec<_> = modules
            .iter()
            .map(|module| module.path(Path::new("b/x.rs")))
            .collect();
        assert_eq!(paths, [Path::new("b/x/mock.rs"), Path::new("b/x_tests.rs")]);
        assert_eq!(
            modules[0].path(Path::new("b/mod.rs")),
            Path::new("b/mock.rs")
        );
    }

    #[test]
    fn what_only_makes_an_example_compile_is_left_out() {
        let text = "//! # Title\n//!\n//! ```\n//! # use x::y;\n//! y();\n//! #\n//! #[z]\n//! ```\n//! # Title\n";
        let shown = "//! # Title\n//!\n//! ```ignore\n//! y();\n//! #[z]\n//! ```\n//! # Title\n";
        assert_eq!(chosen(text, Some(&[])).0, shown);
    }

    #[test]
    fn what_a_feature_has_is_there_with_the_feature_alone() {
        let text = "struct S {\n    a: A,\n    #[cfg(feature = \"x\")]\n    b: B,\n}\n\nfn f() {\n    #[cfg(feature = \"x\")]\n    \
                    let x = X {\n        y,\n    };\n    #[cfg(not(feature = \"x\"))]\n    z();\n}\n";
        assert_eq!(
            chosen(text, Some(&["x"])).0,
            "struct S {\n    a: A,\n    b: B,\n}\n\nfn f() {\n    let x = X {\n        y,\n    };\n}\n"
        );
        assert_eq!(
            chosen(text, Some(&["y"])).0,
            "struct S {\n    a: A,\n}\n\nfn f() {\n    z();\n}\n"
        );
    }
}
