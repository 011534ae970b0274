//! Sources without what is not for a project.
//!
//! `build.rs` has this file, too, and leaves out tests, so that they are in no program.

use std::path::{Path, PathBuf};

/// Files of the crate without what is not of these features; of `None`, without tests, and the lines that ask for a
/// feature stay. Paths are relative to `src/`, with `/` in what comes back, sorted.
pub fn sources(files: Vec<(&Path, &str)>, features: Option<&[&str]>) -> Vec<(String, String)> {
    let mut kept = Vec::new();
    // Files of modules that were left out.
    let mut unused: Vec<String> = Vec::new();
    let written = |path: &Path| path.to_string_lossy().replace('\\', "/");
    for (path, text) in files {
        let (text, modules) = chosen(text, features);
        unused.extend(modules.iter().map(|module| written(&module.path(path))));
        kept.push((written(path), text));
    }
    kept.retain(|(path, _)| !unused.iter().any(|module| is_of(module, path)));
    kept.sort();
    kept
}

/// Whether a file is that of a module, or of one inside.
fn is_of(module: &str, path: &str) -> bool {
    let inside = module.strip_suffix(".rs").unwrap_or(module);
    let rest = path.strip_prefix(inside);
    rest.is_some_and(|rest| rest.starts_with('/') || path == module)
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
    let mut kept = String::with_capacity(text.len());
    let mut modules = Vec::new();
    let mut rest = text;
    while let Some(at) = next_condition(rest) {
        let start = rest[..at].rfind('\n').map_or(0, |end| end + 1);
        kept.push_str(&rest[..start]);
        let (line, below) = split_line(&rest[start..]);
        rest = match is_for(line, features) {
            Some(true) => below,
            Some(false) => without_item(&mut kept, line, below, &mut modules),
            None => {
                kept.push_str(&rest[start..rest.len() - below.len()]);
                below
            }
        };
    }
    kept.push_str(rest);
    (kept, modules)
}

/// Where the next condition is. One byte is found more quickly than six.
fn next_condition(text: &str) -> Option<usize> {
    let mut places = text.match_indices('#').map(|(at, _)| at);
    places.find(|at| text[*at..].starts_with("#[cfg("))
}

/// A line, and what is below it.
fn split_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// What is below the item that `condition` is about, which goes with what stands above it in `kept`: its
/// documentation and other attributes, and one of the empty lines around it.
fn without_item<'a>(
    kept: &mut String,
    condition: &str,
    mut below: &'a str,
    modules: &mut Vec<Module>,
) -> &'a str {
    let indent = &condition[..condition.len() - condition.trim_start().len()];
    while is_about_the_next(last_line(kept), indent) {
        kept.truncate(kept.len() - last_line(kept).len() - 1);
    }
    let mut file = None;
    while !below.is_empty() {
        let (line, rest) = split_line(below);
        below = rest;
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
    let is_first = last_line(kept).ends_with('{');
    let is_apart = kept.ends_with("\n\n");
    let (next, rest) = split_line(below);
    match next.trim() {
        "" if !below.is_empty() && (is_first || is_apart) => below = rest,
        "" | "}" if is_apart => kept.truncate(kept.len() - 1),
        _ => {}
    }
    below
}

/// The last line of a text, whose end is there.
fn last_line(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.rsplit('\n').next().unwrap_or_default()
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
