//! The `use` lines of a file.

use std::collections::BTreeSet;

/// `use` lines, as rustfmt sorts them.
pub fn lines(paths: &BTreeSet<String>) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for path in paths {
        let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
        let is_type = ["kube", "serde", "serde_json"].contains(&module);
        match groups.last_mut() {
            Some((last, names)) if is_type && last == module => names.push(name.to_owned()),
            _ => groups.push((module.to_owned(), vec![name.to_owned()])),
        }
    }
    let line = |(module, names): &(String, Vec<String>)| match names.as_slice() {
        [name] => format!("use {module}::{name};\n"),
        names => {
            let mut names = names.to_vec();
            names.sort();
            format!("use {module}::{{{}}};\n", names.join(", "))
        }
    };
    let is_std = |group: &&(String, Vec<String>)| group.0.starts_with("std");
    let std: String = groups.iter().filter(is_std).map(line).collect();
    let others: String = groups
        .iter()
        .filter(|group| !is_std(group))
        .map(line)
        .collect();
    if std.is_empty() {
        others
    } else {
        format!("{std}\n{others}")
    }
}
