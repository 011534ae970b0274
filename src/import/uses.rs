//! The `use` lines of a file.

use std::collections::BTreeSet;

/// What rustfmt puts on one line.
const WIDTH: usize = 100;

/// `use` lines, as rustfmt sorts them.
pub fn lines(paths: &BTreeSet<String>) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for path in paths {
        let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
        let is_type =
            ["kube", "serde", "serde_json"].contains(&module) || module.starts_with("super::");
        match groups.last_mut() {
            Some((last, names)) if is_type && *last == module => names.push(name),
            _ => groups.push((module, vec![name])),
        }
    }
    let written = |is_of: fn(&str) -> bool| -> String {
        let these = groups.iter().filter(|(module, _)| is_of(module));
        these.map(|(module, names)| line(module, names)).collect()
    };
    let std = written(|module| module.starts_with("std"));
    let siblings = written(|module| module.starts_with("super"));
    let others = written(|module| !module.starts_with("std") && !module.starts_with("super"));
    let others = siblings + &others;
    if std.is_empty() {
        others
    } else {
        format!("{std}\n{others}")
    }
}

fn line(module: &str, names: &[&str]) -> String {
    let [name] = names else {
        let mut names = names.to_vec();
        names.sort_unstable();
        let line = format!("use {module}::{{{}}};\n", names.join(", "));
        return if line.len() <= WIDTH + 1 {
            line
        } else {
            format!("use {module}::{{\n{}}};\n", filled(&names))
        };
    };
    format!("use {module}::{name};\n")
}

/// Names with commas, as many in a line as there is room for.
fn filled(names: &[&str]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        let word = format!(" {name},");
        match lines.last_mut() {
            Some(last) if 3 + last.len() + word.len() <= WIDTH => *last += &word,
            _ => lines.push(word),
        }
    }
    let lines: Vec<_> = lines.iter().map(|line| format!("   {line}")).collect();
    lines.join("\n") + "\n"
}
