//! The `Cargo.lock` of the generated project, with the versions that rustop was tested with.
//!
//! The template contains the project's own packages under placeholders. Cargo sorts packages and
//! their dependencies by name, and `--locked` accepts no other order, so they are sorted once the
//! placeholders are replaced by names.

use std::borrow::Cow;
use std::cmp::Ordering;

/// The manager's entry in the lock file of this rustop, extracted by `build.rs`.
const MANAGER: &str = include_str!(concat!(env!("OUT_DIR"), "/manager.lock"));

/// Returns the `source` and `checksum` lines of the manager in a lock file. They are empty if
/// rustop was built with the manager from its workspace.
pub fn manager_origin() -> String {
    let lines = MANAGER.lines();
    let is_origin = |line: &&str| line.starts_with("source = ") || line.starts_with("checksum = ");
    lines
        .filter(is_origin)
        .flat_map(|line| [line, "\n"])
        .collect()
}

/// Sorts the packages of a lock file, and the dependencies of each, by name, as Cargo does. Only
/// the dependency lists of local packages are sorted: all others already are.
pub fn sorted(text: &str) -> String {
    let mut blocks = text.trim_end().split("\n\n");
    let header = blocks.next().unwrap_or_default();
    let mut packages: Vec<(&str, Cow<'_, str>)> = Vec::new();
    for package in blocks {
        let name = value(package, "name = ").unwrap_or_default();
        let place = packages.partition_point(|(other, text)| match (*other).cmp(name) {
            Ordering::Equal => version(text) <= version(package),
            order => order.is_lt(),
        });
        packages.insert(place, (name, with_sorted_dependencies(package)));
    }
    let packages: Vec<_> = packages.into_iter().map(|(_, text)| text).collect();
    format!("{header}\n\n{}\n", packages.join("\n\n"))
}

fn with_sorted_dependencies(package: &str) -> Cow<'_, str> {
    // A package from a registry keeps the order of rustop's own lock file.
    if value(package, "source = ").is_some() {
        return package.into();
    }
    let Some((head, list)) = package.split_once("dependencies = [\n") else {
        return package.into();
    };
    let mut list: Vec<_> = list.lines().filter(|line| *line != "]").collect();
    list.sort_unstable();
    format!("{head}dependencies = [\n{}\n]", list.join("\n")).into()
}

fn version(package: &str) -> Vec<u64> {
    let text = value(package, "version = ").unwrap_or_default();
    let numbers = text.trim_matches('"').split(['.', '+', '-']);
    numbers.map_while(|number| number.parse().ok()).collect()
}

/// Returns the rest of the first line that starts with `key`.
fn value<'a>(package: &'a str, key: &str) -> Option<&'a str> {
    package.lines().find_map(|line| line.strip_prefix(key))
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

    #[test]
    fn versions_are_numbers() {
        let package =
            |version: &str| format!("[[package]]\nname = \"a\"\nversion = \"{version}\"\n");
        let of =
            |versions: [&str; 3]| format!("version = 4\n\n{}", versions.map(package).join("\n"));
        let wanted = of(["0.1.0", "0.9.1", "0.10.0"]);
        assert_eq!(sorted(&of(["0.9.1", "0.10.0", "0.1.0"])), wanted);
    }
}
