//! What is published has all that it is built and tested from: `.ci/package` tries it, in the nights.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use regex::Regex;
use walkdir::WalkDir;

#[test]
fn what_the_sources_read_is_in_the_package() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = Command::new(env!("CARGO"))
        .args([
            "package",
            "--list",
            "--allow-dirty",
            "--locked",
            "--package",
            "rustop-cli",
        ])
        .current_dir(root)
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let listed: BTreeSet<&Path> = listed.lines().map(Path::new).collect();
    let reads = Regex::new(r#"(?:include_(?:str|bytes)!\(|#\[path = )"([^"]+)""#).unwrap();
    let mut missing = Vec::new();
    let mut seen = 0;
    for file in WalkDir::new(root.join("src")) {
        let file = file.unwrap();
        let Ok(text) = fs::read_to_string(file.path()) else {
            continue;
        };
        for read in reads.captures_iter(&text) {
            let beside = file
                .path()
                .strip_prefix(root)
                .unwrap()
                .with_file_name(&read[1]);
            let path = without_detours(&beside);
            seen += 1;
            if !listed.contains(&*path) {
                missing.push(format!(
                    "{} reads {}",
                    file.path().display(),
                    path.display()
                ));
            }
        }
    }
    assert!(seen > 10, "{seen} files are read");
    assert!(missing.is_empty(), "the package lacks: {missing:#?}");
}

/// Without `a/..`.
fn without_detours(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            short.pop();
        } else {
            short.push(part);
        }
    }
    short
}
