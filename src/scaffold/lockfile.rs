//! `Cargo.lock` of the generated project: the versions that rustop was tested with.
//!
//! The template holds the project's own packages under their placeholders. Cargo wants packages and
//! their dependencies sorted, and with `--locked` takes nothing else, so they are sorted by the names
//! that they get.

use std::borrow::Cow;
use std::cmp::Ordering;

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

/// Puts the packages of a lock file, and the dependencies of each, where cargo has them by name. All but the
/// project's own are there already.
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
    // What is not of this directory is as its lock file had it.
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

/// What a line says that begins so.
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
