//! `Cargo.lock` of the generated project: the versions that rustop was tested with.
//!
//! The template holds the project's own packages under their placeholders. Cargo wants packages and
//! their dependencies sorted, and with `--locked` takes nothing else, so they are sorted by the names
//! that they get.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// The manager's entry in what this rustop itself is locked to, by `build.rs`.
const MANAGER: &str = include_str!(concat!(env!("OUT_DIR"), "/manager.lock"));

/// Where the manager of this rustop is from, as lines of a lock file; none where it was built beside it.
pub fn manager_origin() -> String {
    let lines = MANAGER.lines();
    let is_origin = |line: &&str| line.starts_with("source = ") || line.starts_with("checksum = ");
    lines
        .filter(is_origin)
        .flat_map(|line| [line, "\n"])
        .collect()
}

/// Sorts the packages of a lock file, and the dependencies of each.
pub fn sorted(text: &str) -> String {
    let mut blocks = text.trim_end().split("\n\n");
    let header = blocks.next().unwrap_or_default();
    let packages: BTreeMap<_, _> = blocks
        .map(|package| (id(package), with_sorted_dependencies(package)))
        .collect();
    let packages: Vec<_> = packages.into_values().collect();
    format!("{header}\n\n{}\n", packages.join("\n\n"))
}

fn with_sorted_dependencies(package: &str) -> Cow<'_, str> {
    let Some((head, list)) = package.split_once("dependencies = [\n") else {
        return package.into();
    };
    let mut list: Vec<_> = list.lines().filter(|line| *line != "]").collect();
    if list.is_sorted() {
        return package.into();
    }
    list.sort_unstable();
    format!("{head}dependencies = [\n{}\n]", list.join("\n")).into()
}

/// The name of a package, then its version.
fn id(package: &str) -> (&str, Vec<u64>) {
    let value = |key| {
        package
            .lines()
            .find_map(|line| line.strip_prefix(key))
            .unwrap_or_default()
    };
    let numbers = value("version = ").trim_matches('"').split(['.', '+', '-']);
    (
        value("name = "),
        numbers.map_while(|number| number.parse().ok()).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_goes_where_its_name_belongs() {
        let package = |name: &str, list: &str| {
            format!(
                "[[package]]\nname = \"{name}\"\nversion = \"1.0.0\"\ndependencies = [\n{list}]\n"
            )
        };
        let given = format!(
            "version = 4\n\n{}\n{}",
            package("b", " \"c\",\n"),
            package("a-op", " \"b\",\n \"a-op-api\",\n")
        );
        let wanted = format!(
            "version = 4\n\n{}\n{}",
            package("a-op", " \"a-op-api\",\n \"b\",\n"),
            package("b", " \"c\",\n")
        );
        assert_eq!(sorted(&given), wanted);
    }
}
