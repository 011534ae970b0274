//! The published package contains everything that its build and its tests need. `.ci/package`
//! builds it every night.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use regex::Regex;
use walkdir::WalkDir;

use crate::dsl::Place;

#[test]
fn what_the_sources_read_is_in_the_package() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = packaged("rustop-cli");
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
            if !listed.contains(&path) {
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

#[test]
fn projects_vendor_the_manager_as_cargo_packages_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // What cargo adds: the manifest as it is published, the lock file, and the commit.
    let added = ["Cargo.toml.orig", "Cargo.lock", ".cargo_vcs_info.json"];
    let published: BTreeSet<_> = packaged("rustop-manager")
        .into_iter()
        .filter(|path| !added.iter().any(|added| path == Path::new(added)))
        .collect();
    let place = Place::project();
    let vendored = place.path("vendor/rustop-manager");
    let found: BTreeSet<_> = WalkDir::new(&vendored)
        .into_iter()
        .map(Result::unwrap)
        .filter(|file| file.file_type().is_file())
        .map(|file| file.path().strip_prefix(&vendored).unwrap().to_owned())
        .collect();
    assert_eq!(found, published);
    for path in &found {
        let [vendored, written] =
            [&vendored, &root.join("manager")].map(|dir| fs::read(dir.join(path)).unwrap());
        assert!(vendored == written, "{}", path.display());
    }
    // The program embeds the files by links, which its package has as files.
    let embedded = packaged("rustop-cli");
    for path in found {
        let mut path = Path::new("templates/vendor/rustop-manager").join(path);
        if path.ends_with("Cargo.toml") {
            path.set_extension("toml.tera");
        }
        assert!(
            embedded.contains(&path),
            "the package lacks {}",
            path.display()
        );
    }
}

/// The paths of the files that cargo puts into a package of this workspace.
fn packaged(package: &str) -> BTreeSet<PathBuf> {
    let listed = Command::new(env!("CARGO"))
        .args([
            "package",
            "--list",
            "--allow-dirty",
            "--locked",
            "--package",
        ])
        .arg(package)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(listed.status.success(), "{listed:?}");
    let listed = String::from_utf8(listed.stdout).unwrap();
    listed.lines().map(PathBuf::from).collect()
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
