//! Tests with random edits of the settings that were chosen at `init`, in projects with changes by
//! the user.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anstream::ColorChoice;
use tempfile::TempDir;
use walkdir::WalkDir;

use super::*;
use crate::ops;
use crate::ops::random::{Random, rounds};
use crate::ops::scratch::scratch;
use crate::scaffold;
use crate::terminal::Terminal;
use crate::tree::Owner as FileOwner;

/// A project with two kinds, one of them with all webhooks and two versions.
const PROJECT: &str = include_str!("testdata/PROJECT");

fn project() -> Project {
    Project::parse(PROJECT).unwrap().by_this_rustop()
}

/// Creates a directory with the rendered files of a project.
fn made(project: &Project) -> TempDir {
    let dir = scratch();
    for (path, file) in scaffold::render(project).iter() {
        write(dir.path(), path, &file.text);
    }
    dir
}

fn write(dir: &Path, path: &str, text: &str) {
    let path = dir.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn files(dir: &Path) -> BTreeMap<String, String> {
    let entries = WalkDir::new(dir).into_iter().flatten();
    let files = entries.filter(|entry| entry.file_type().is_file());
    let file = |entry: walkdir::DirEntry| {
        let path = entry.path().strip_prefix(dir).unwrap().to_string_lossy();
        (path.into_owned(), fs::read_to_string(entry.path()).unwrap())
    };
    files.map(file).collect()
}

/// Runs an edit. Returns true if the files contain no conflicts for the user to resolve.
fn edit(dir: &Path, edit: &Edit) -> bool {
    let session = Session::new(dir, Terminal::new(-1, ColorChoice::Never));
    match edit.run(&session) {
        Ok(()) => true,
        Err(ops::Error::Refusal(Refusal::Conflicts { .. })) => false,
        Err(error) => panic!("{error}"),
    }
}

/// Returns the edit that leads to a project.
fn to(project: &Project) -> Edit {
    let changes = Changes {
        domain: Some(project.domain.clone()),
        project_name: Some(project.project_name.clone()),
        namespaced: Some(project.namespaced),
        license: Some(project.license),
        owner: Some(Holder(project.owner.clone())),
        kubernetes_version: Some(project.kubernetes_version),
        manager: Some(project.manager),
        manager_features: Some(project.manager_features.iter().copied().collect()),
        max_description_length: Some(DescriptionLimit(project.crd.max_description_length)),
    };
    Edit {
        changes,
        dry_run: false,
    }
}

fn one<'a, T>(random: &mut Random, all: &'a [T]) -> &'a T {
    &all[random.below(u32::try_from(all.len()).unwrap()) as usize]
}

/// Returns the project with random settings.
fn other(random: &mut Random) -> Project {
    let mut other = project();
    let changes = Changes {
        domain: Some(
            one(random, &["my.domain", "a.my.domain", "zoo.io"])
                .parse()
                .unwrap(),
        ),
        project_name: Some(
            one(random, &["lolcow-operator", "zz", "api-of-cows"])
                .parse()
                .unwrap(),
        ),
        namespaced: Some(random.below(2) == 0),
        license: Some(*one(random, &License::ALL)),
        owner: Some(one(random, &["", "Me", "You \"and\" I"]).parse().unwrap()),
        kubernetes_version: Some(*one(random, &KubernetesVersion::ALL)),
        manager: Some(*one(random, &ManagerSource::ALL)),
        manager_features: Some(
            ManagerFeature::ALL
                .into_iter()
                .filter(|_| random.below(2) == 0)
                .collect(),
        ),
        max_description_length: Some(one(random, &["none", "0", "80"]).parse().unwrap()),
    };
    changes.apply(&mut other);
    other
}

#[test]
fn unedited_projects_equal_new_ones_after_an_edit_and_back() {
    let mut random = Random::seeded();
    let dir = made(&project());
    for _ in 0..rounds(15) {
        let other = other(&mut random);
        for project in [&other, &project()] {
            assert!(edit(dir.path(), &to(project)));
            let expected = made(project);
            assert_eq!(files(dir.path()), files(expected.path()), "{project:?}");
        }
    }
}

#[test]
fn user_edits_survive_an_edit_and_its_reversal() {
    let mut random = Random::seeded();
    let base = scaffold::render(&project());
    let users = base
        .iter()
        .filter(|(_, file)| file.owner == FileOwner::User);
    let (of_cargo, others): (Vec<_>, Vec<_>) = users.partition(|(path, _)| is_cargos(path));
    for round in 0..rounds(15) {
        let dir = made(&project());
        let mut words = BTreeMap::new();
        for number in 0..=random.below(6) {
            let users = if random.below(3) == 0 {
                &of_cargo
            } else {
                &others
            };
            let (path, file) = one(&mut random, users);
            if words.contains_key(path) {
                continue;
            }
            let word = format!("mine-{round}-{number}");
            write(
                dir.path(),
                path,
                &written(&mut random, path, &file.text, &word),
            );
            words.insert(*path, word);
        }
        let before = files(dir.path());
        let is_clean = edit(dir.path(), &to(&other(&mut random)));
        let now = files(dir.path());
        for (path, word) in &words {
            let text = &now[*path];
            assert!(
                text.contains(word.as_str()),
                "{path} has lost {word}\n{text}"
            );
            assert!(!is_clean || !text.contains("<<<<<<< "), "{path}\n{text}");
        }
        if is_clean && edit(dir.path(), &to(&project())) {
            let now = files(dir.path());
            for (path, text) in before {
                // Keys and packages that are removed and added again come last.
                let is_same = if is_cargos(&path) {
                    sorted(&text) == sorted(&now[&path])
                } else {
                    text == now[&path]
                };
                assert!(is_same, "{path}\n{text}\nis now\n{}", now[&path]);
            }
        }
    }
}

/// Reports whether the order of a file's lines has no meaning.
fn is_cargos(path: &str) -> bool {
    path == "Cargo.lock" || path.ends_with("Cargo.toml")
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().filter(|line| !line.is_empty()).collect();
    lines.sort_unstable();
    lines
}

/// Adds a word of the user to a text: as a package in a lock file, as a dependency or a comment in
/// a manifest, and as a line in any other file.
fn written(random: &mut Random, path: &str, text: &str, word: &str) -> String {
    let mut lines: Vec<_> = text.lines().collect();
    let (is_lock, is_dependency) = (path == "Cargo.lock", random.below(2) == 0);
    let (mine, fits): (_, fn(&str) -> bool) = if is_lock {
        let package = format!("[[package]]\nname = \"{word}\"\nversion = \"1.0.0\"\n");
        (package, |before| before.is_empty())
    } else if is_cargos(path) && is_dependency {
        let table = |before: &str| before.ends_with("dependencies]");
        (format!("{word} = \"1\""), table)
    } else {
        (format!("# {word}"), |_| true)
    };
    let places = (1..).zip(&lines).filter(|(_, before)| fits(before));
    let places: Vec<usize> = places.map(|(at, _)| at).collect();
    lines.insert(*one(random, &places), &mine);
    lines.join("\n") + "\n"
}

#[test]
fn a_dependency_of_the_users_stays_when_the_project_has_another_name() {
    let dir = made(&project());
    let lock = dir.path().join("Cargo.lock");
    let mine = "name = \"lolcow-operator\"\nversion = \"0.1.0\"\ndependencies = [\n";
    let text = fs::read_to_string(&lock).unwrap();
    assert!(text.contains(mine));
    let added = text.replace(mine, &format!("{mine} \"anyhow\",\n"));
    fs::write(&lock, &added).unwrap();
    let mut other = project();
    other.project_name = "zz".parse().unwrap();
    assert!(edit(dir.path(), &to(&other)));
    let renamed = fs::read_to_string(&lock).unwrap();
    let there = "name = \"zz\"\nversion = \"0.1.0\"\ndependencies = [\n \"anyhow\",\n";
    assert!(renamed.contains(there) && !renamed.contains("lolcow-operator"));
    assert!(edit(dir.path(), &to(&project())));
    assert_eq!(fs::read_to_string(&lock).unwrap(), added);
}

#[test]
fn foreign_kinds_keep_their_group() {
    let mut moved = project();
    let changes = Changes {
        domain: Some("zoo.io".parse().unwrap()),
        ..Changes::default()
    };
    let group = |project: &Project| {
        let groups = project.resources.iter().map(Resource::api_group);
        groups.collect::<Vec<_>>()
    };
    let before = group(&moved);
    changes.apply(&mut moved);
    for (old, new) in before.iter().zip(group(&moved)) {
        assert_eq!(new, old.replace("my.domain", "zoo.io"));
    }
    assert!(before.iter().any(|group| !group.contains("my.domain")));
}
