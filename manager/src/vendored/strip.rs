//! Sources without what is not for a project.
//!
//! `build.rs` has this file, too, and leaves out tests, so that they are in no program.

use std::path::{Path, PathBuf};

/// Files of the crate without what is not of these features; of `None`, without tests, and the lines that ask for a
/// feature stay. Paths are relative to `src/`, with `/` in what comes back, sorted.
pub fn sources(mut files: Vec<(&Path, &str)>, features: Option<&[&str]>) -> Vec<(String, String)> {
    // Each file after the one that declares it.
    files.sort_by_cached_key(|(path, _)| match path.parent() {
        Some(dir) if path.ends_with("lib.rs") || path.ends_with("mod.rs") => dir.to_owned(),
        _ => path.with_extension(""),
    });
    let mut kept = Vec::new();
    // The files of modules that were left out, and the directories of their own modules.
    let mut unused: Vec<(PathBuf, PathBuf)> = Vec::new();
    for (path, text) in files {
        if !unused
            .iter()
            .any(|(file, dir)| path == file || path.starts_with(dir))
        {
            let (text, modules) = chosen(text, features);
            let files = modules.iter().map(|module| module.path(path));
            unused.extend(files.map(|file| (file.clone(), file.with_extension(""))));
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
    // Most files are for everybody, and this is asked of all of them whenever a project is rendered.
    if !text.contains("#[cfg(") {
        return (text.to_owned(), Vec::new());
    }
    let mut kept = Vec::new();
    let mut modules = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        match is_for(line, features) {
            Some(false) => {}
            Some(true) => continue,
            None => {
                kept.push(line);
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
