//! Each story gives its golden, file by file, no more and no less.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use similar::TextDiff;

use crate::story::{golden, replay, rustop, tree, turn};

#[test]
fn lolcow() {
    let _turn = turn("lolcow");
    compare("lolcow", &|path| !is_managers(path));
}

#[test]
fn fleet() {
    let _turn = turn("fleet");
    compare("fleet", &is_its_own);
}

#[test]
fn namespaced() {
    let _turn = turn("namespaced");
    compare("namespaced", &is_its_own);
}

#[test]
fn webhooks() {
    let _turn = turn("webhooks");
    compare("webhooks", &is_its_own);
}

#[test]
fn imported() {
    let _turn = turn("imported");
    compare("imported", &is_its_own);
}

#[test]
fn page() {
    let _turn = turn("page");
    compare("page", &is_its_own);
}

/// What is the same in every project is held by the lolcow golden alone.
fn is_its_own(path: &str) -> bool {
    !path.starts_with("vendor/") && path != "Cargo.lock"
}

/// The sources of `manager/`, which no golden holds.
fn is_managers(path: &str) -> bool {
    path.starts_with("vendor/rustop-manager/src/")
}

fn compare(name: &str, is_held: &dyn Fn(&str) -> bool) {
    let dir = replay(name);
    let mut made = tree(&dir);
    made.retain(|path, _| is_held(path));
    if std::env::var_os("RUSTOP_OVERWRITE").is_some() {
        return overwrite(&golden(name), &made);
    }
    let held = tree(&golden(name));
    let paths: BTreeSet<_> = made.keys().chain(held.keys()).collect();
    let differences = paths
        .into_iter()
        .filter_map(|path| difference(path, held.get(path), made.get(path)));
    let differences: String = differences.collect();
    assert!(
        differences.is_empty(),
        "{name} is not its golden; if it should be: RUSTOP_OVERWRITE=1 cargo test --test projects golden\n{differences}"
    );
    // Once more changes nothing, and no linter finds anything.
    let again = rustop(&dir, &["manifests", "--check", "--deny-warnings"]);
    assert_eq!(
        (again.code, again.stdout.as_str()),
        (Some(0), ""),
        "{}",
        again.stderr
    );
}

fn difference(path: &str, held: Option<&String>, made: Option<&String>) -> Option<String> {
    match (held, made) {
        (Some(held), Some(made)) if held == made => None,
        (Some(held), Some(made)) => {
            let diff = TextDiff::from_lines(held.as_str(), made);
            Some(
                diff.unified_diff()
                    .header(&format!("golden/{path}"), &format!("made/{path}"))
                    .to_string(),
            )
        }
        (Some(_), None) => Some(format!("{path} is missing\n")),
        (None, _) => Some(format!("{path} is not in the golden\n")),
    }
}

fn overwrite(golden: &Path, made: &BTreeMap<String, String>) {
    for path in tree(golden).keys().filter(|path| !made.contains_key(*path)) {
        fs::remove_file(golden.join(path)).unwrap();
    }
    for (path, text) in made {
        let path = golden.join(path);
        if fs::read_to_string(&path).is_ok_and(|held| held == *text) {
            continue;
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}
