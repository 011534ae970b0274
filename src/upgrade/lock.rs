//! A merge of `Cargo.lock` files by package. Versions that rustop chooses change together; packages
//! that the user added stay.

use std::collections::BTreeMap;

use crate::project::numbers;
use crate::scaffold::sorted_lock;

/// The packages of a lock file by name and version.
type Packages<'a> = BTreeMap<(&'a str, &'a str), &'a str>;

/// Merges lock files: `base`, as rustop wrote it, `ours`, as the user has changed it, and `theirs`,
/// as rustop writes it now. The result may be incomplete: Cargo resolves the rest at the next
/// build.
pub fn merge(base: &str, ours: &str, theirs: &str) -> String {
    let head = theirs.split("\n\n").next().unwrap_or_default();
    let (base, ours, theirs) = (packages(base), packages(ours), packages(theirs));
    let mut merged = BTreeMap::new();
    for (id, text) in &theirs {
        // Leave out packages that the user has removed; add new ones.
        if ours.contains_key(id) || !base.contains_key(id) {
            merged.insert(*id, dependencies(base.get(id), ours.get(id), text));
        }
    }
    for (id, text) in &ours {
        if !base.contains_key(id) && !theirs.contains_key(id) {
            merged.insert(*id, (*text).to_owned());
        }
    }
    let of_line = |(name, version): (&str, &str)| (name.to_owned(), line(version).to_owned());
    let mut newest: BTreeMap<_, (&str, &str)> = BTreeMap::new();
    for id in merged.keys() {
        let best = newest.entry(of_line(*id)).or_insert(*id);
        if numbers(id.1) > numbers(best.1) {
            *best = *id;
        }
    }
    // Cargo selects only one of several compatible versions.
    merged.retain(|id, _| newest[&of_line(*id)] == *id);
    let packages: Vec<_> = merged.into_values().collect();
    sorted_lock(&format!("{head}\n\n{}\n", packages.join("\n\n")))
}

fn packages(text: &str) -> Packages<'_> {
    let blocks = text.trim_end().split("\n\n").map(str::trim);
    let packages = blocks.filter(|block| block.starts_with("[[package]]"));
    let value = |block: &'_ str, key: &str| {
        let mut lines = block.lines();
        lines.find_map(|line| Some(line.strip_prefix(key)?.trim_matches('"').len()))
    };
    let field = |block, key: &str| -> &str {
        let at = str::find(block, key).map(|at| at + key.len() + 1);
        let length = value(block, key).unwrap_or_default();
        at.and_then(|at| block.get(at..at + length))
            .unwrap_or_default()
    };
    packages
        .map(|block| {
            (
                (
                    field(block, "\nname = ".trim_start()),
                    field(block, "version = "),
                ),
                block,
            )
        })
        .collect()
}

/// Returns a package of rustop's lock file, with the dependencies that the user has added to it and
/// without those that the user has removed.
fn dependencies(base: Option<&&str>, ours: Option<&&str>, theirs: &str) -> String {
    let (Some(base), Some(ours)) = (base, ours) else {
        return theirs.to_owned();
    };
    let (before, mine, now) = (list(base), list(ours), list(theirs));
    let mut all: Vec<_> = now
        .iter()
        .filter(|it| mine.contains(it) || !before.contains(it))
        .copied()
        .collect();
    all.extend(
        mine.iter()
            .filter(|it| !before.contains(it) && !now.contains(it)),
    );
    if all == now {
        return theirs.to_owned();
    }
    all.sort_unstable();
    let head = theirs.split("\ndependencies = [").next().unwrap_or(theirs);
    format!("{head}\ndependencies = [\n{}\n]", all.join("\n"))
}

fn list(package: &str) -> Vec<&str> {
    let list = package.split_once("dependencies = [\n");
    let lines = list.into_iter().flat_map(|(_, list)| list.lines());
    lines.take_while(|line| *line != "]").collect()
}

/// Returns the part of a version that compatible versions share: `1`, `0.29`.
fn line(version: &str) -> &str {
    let mut dots = version.match_indices('.').map(|(at, _)| at);
    let end = if version.starts_with("0.") {
        dots.nth(1)
    } else {
        dots.next()
    };
    &version[..end.unwrap_or(version.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(packages: &[(&str, &str, &[&str])]) -> String {
        let package = |(name, version, list): &(&str, &str, &[&str])| {
            let list: Vec<_> = list.iter().map(|it| format!(" \"{it}\",\n")).collect();
            let list = list.concat();
            format!(
                "[[package]]\nname = \"{name}\"\nversion = \"{version}\"\ndependencies = [\n{list}]"
            )
        };
        let packages: Vec<_> = packages.iter().map(package).collect();
        format!("version = 4\n\n{}\n", packages.join("\n\n"))
    }

    #[test]
    fn rustops_packages_move_and_the_users_stay() {
        let base = lock(&[
            ("cow", "0.1.0", &["kube", "old"]),
            ("kube", "5.0.0", &["x"]),
            ("old", "1.0.0", &["x"]),
        ]);
        let ours = lock(&[
            ("anyhow", "1.0.1", &["x"]),
            ("cow", "0.1.0", &["anyhow", "kube", "old"]),
            ("kube", "5.0.0", &["x"]),
            ("old", "1.0.0", &["x"]),
        ]);
        let theirs = lock(&[
            ("cow", "0.1.0", &["kube", "new"]),
            ("kube", "5.1.0", &["x"]),
            ("new", "1.0.0", &["x"]),
        ]);
        let merged = lock(&[
            ("anyhow", "1.0.1", &["x"]),
            ("cow", "0.1.0", &["anyhow", "kube", "new"]),
            ("kube", "5.1.0", &["x"]),
            ("new", "1.0.0", &["x"]),
        ]);
        assert_eq!(merge(&base, &ours, &theirs), merged);
    }

    #[test]
    fn the_newer_of_two_compatible_versions_stays() {
        let of = |version| lock(&[("kube", version, &["x"])]);
        assert_eq!(
            merge(&of("5.0.0"), &of("5.0.10"), &of("5.0.9")),
            of("5.0.10")
        );
        assert_eq!(merge(&of("5.0.0"), &of("5.0.1"), &of("5.1.0")), of("5.1.0"));
        let both = lock(&[("kube", "4.0.0", &["x"]), ("kube", "5.1.0", &["x"])]);
        assert_eq!(merge(&of("5.0.0"), &of("4.0.0"), &of("5.1.0")), both);
        assert_eq!(
            (line("0.29.1"), line("1.2.3"), line("7")),
            ("0.29", "1", "7")
        );
    }
}
