//! The rooms of the source, its top-level modules, never import each other in a circle, nor do the
//! files of a room, here and in the manager. What is only for tests is not looked at.

pub mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use self::source::Crate;

/// The imported names by importing and imported module.
type Imports = BTreeMap<(String, String), BTreeSet<String>>;

#[test]
fn no_rooms_import_each_other_in_a_circle() {
    for source in [program(), manager()] {
        let found = circles(&source.rooms());
        assert!(found.is_empty(), "{}", told(&found));
    }
}

#[test]
fn no_files_of_a_room_import_each_other_in_a_circle() {
    for source in [program(), manager()] {
        let found = circles(&source.files());
        assert!(found.is_empty(), "{}", told(&found));
    }
}

#[test]
fn every_room_is_in_the_picture() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/architecture.md")).unwrap();
    let picture = page.split("```text\n").nth(1).unwrap();
    let picture = picture.split("```").next().unwrap();
    let drawn: BTreeSet<_> = picture.lines().flat_map(drawn).collect();
    let rooms: BTreeSet<_> = std::fs::read_dir(root.join("src"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .map(|name| name.trim_end_matches(".rs").to_owned())
        .collect();
    assert_eq!(
        drawn, rooms,
        "docs/architecture.md draws other rooms than src has"
    );
}

/// Returns the rooms of a line of the picture: what stands before its description, which two blanks
/// and a longer text set apart. Rooms in one line are joined by a stroke or by blanks.
fn drawn(line: &str) -> Vec<String> {
    let line = line.trim_start_matches([' ', '│', '├', '└', '─']);
    let is_description = |part: &&str| part.trim().contains(' ') && !part.contains('─');
    line.split("  ")
        .take_while(|part| !is_description(part))
        .flat_map(|part| part.split([' ', '─', '│']))
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

fn program() -> Crate {
    Crate::read(Path::new(env!("CARGO_MANIFEST_DIR")), "src/main.rs")
}

fn manager() -> Crate {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("manager");
    Crate::read(&root, "src/lib.rs")
}

#[test]
fn a_circle_is_found_with_its_names_and_a_line_is_none() {
    let import = |from: &str, to: &str| ((from.into(), to.into()), BTreeSet::from([to.into()]));
    let mut imports = Imports::from([import("a", "b"), import("b", "c"), import("b", "d")]);
    assert!(circles(&imports).is_empty());
    imports.extend([import("c", "a")]);
    let found = circles(&imports);
    assert_eq!(
        told(&found),
        "these import each other in a circle:\n  a -> b: b\n  b -> c: c\n  c -> a: a\n"
    );
}

/// The imports of each circle.
fn circles(imports: &Imports) -> Vec<Imports> {
    let mut ahead: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in imports.keys() {
        ahead.entry(from).or_default().push(to);
    }
    let reached: BTreeMap<_, _> = ahead
        .keys()
        .map(|one| (*one, reached(&ahead, one)))
        .collect();
    let leads = |from: &str, to: &str| reached.get(from).is_some_and(|all| all.contains(to));
    let mut circles: BTreeMap<Vec<&str>, Imports> = BTreeMap::new();
    for ((from, to), names) in imports {
        if leads(to, from) {
            let all = reached[from.as_str()].iter().copied();
            let circle = all.filter(|one| leads(one, from)).collect();
            let circle = circles.entry(circle).or_default();
            circle.insert((from.clone(), to.clone()), names.clone());
        }
    }
    circles.into_values().collect()
}

/// All that one imports, and what these import.
fn reached<'a>(ahead: &BTreeMap<&'a str, Vec<&'a str>>, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(one) = next.pop() {
        for to in ahead.get(one).into_iter().flatten() {
            if reached.insert(*to) {
                next.push(to);
            }
        }
    }
    reached
}

fn told(circles: &[Imports]) -> String {
    let mut text = String::new();
    for circle in circles {
        text.push_str("these import each other in a circle:\n");
        for ((from, to), names) in circle {
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            let _ = writeln!(text, "  {from} -> {to}: {}", names.join(", "));
        }
    }
    text
}
