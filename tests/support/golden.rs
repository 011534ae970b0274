//! Compares a generated project with its golden directory, file by file and in both directions.

#![allow(dead_code, reason = "no test binary uses all of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use similar::TextDiff;
use walkdir::WalkDir;

/// The directory of a golden; its story, the `rustop` lines that generate it, is the file
/// `<name>.txt` next to it.
pub fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

/// The files below a directory by their path; empty if the directory does not exist.
pub fn tree(dir: &Path) -> BTreeMap<String, String> {
    if !dir.exists() {
        return BTreeMap::new();
    }
    WalkDir::new(dir)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(dir).unwrap();
            let text = fs::read_to_string(entry.path()).unwrap();
            (path.display().to_string(), text)
        })
        .collect()
}

/// Reports whether the golden `name` has the file. The lolcow golden alone has what is the same in
/// every project, and no golden has the vendored crate, which is a copy of `manager/` (see
/// `tests/cli/package.rs`).
fn has(name: &str, path: &str) -> bool {
    !path.starts_with("vendor/") && (name == "lolcow" || path != "Cargo.lock")
}

/// Compares the project in `dir` with the golden `name`. `RUSTOP_OVERWRITE` rewrites the golden
/// instead.
pub fn compare(name: &str, dir: &Path) {
    let mut generated = tree(dir);
    generated.retain(|path, _| has(name, path));
    if std::env::var_os("RUSTOP_OVERWRITE").is_some() {
        return overwrite(&golden(name), &generated);
    }
    let expected = tree(&golden(name));
    let paths: BTreeSet<_> = generated.keys().chain(expected.keys()).collect();
    let differences: String = paths
        .into_iter()
        .filter_map(|path| difference(path, expected.get(path), generated.get(path)))
        .collect();
    assert!(
        differences.is_empty(),
        "the project differs from the golden `{name}`; to accept the change: \
         RUSTOP_OVERWRITE=1 cargo test --test projects golden::\n{differences}"
    );
}

fn difference(path: &str, expected: Option<&String>, generated: Option<&String>) -> Option<String> {
    match (expected, generated) {
        (Some(expected), Some(generated)) if expected == generated => None,
        (Some(expected), Some(generated)) => Some(
            TextDiff::from_lines(expected.as_str(), generated)
                .unified_diff()
                .header(&format!("golden/{path}"), &format!("generated/{path}"))
                .to_string(),
        ),
        (Some(_), None) => Some(format!("{path} is missing\n")),
        (None, _) => Some(format!("{path} is not in the golden\n")),
    }
}

fn overwrite(golden: &Path, generated: &BTreeMap<String, String>) {
    for path in tree(golden)
        .keys()
        .filter(|path| !generated.contains_key(*path))
    {
        fs::remove_file(golden.join(path)).unwrap();
    }
    for (path, text) in generated {
        let path = golden.join(path);
        if fs::read_to_string(&path).is_ok_and(|expected| expected == *text) {
            continue;
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}
