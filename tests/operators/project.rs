//! The project of an operator: its story, and its files laid over what came out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::story::{alone, command, keeping_times, play, rustop, target, times};
use crate::support::run;

/// The operators.
pub const ALL: [&str; 5] = [
    "lolcow",
    "pod-set",
    "pulsar-consumer",
    "multi-secret",
    "cloud-instance",
];

/// Where the operators are.
pub fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/operators")
}

/// What the user of an operator edited, by its path in the project.
pub fn files(name: &str) -> BTreeMap<PathBuf, String> {
    let text = |(content, _)| String::from_utf8(content).unwrap();
    let files = times(&home().join(name).join("files")).into_iter();
    files.map(|(path, file)| (path, text(file))).collect()
}

/// Where the project of an operator is made.
fn place(name: &str) -> PathBuf {
    target().with_file_name("operators").join(name)
}

/// Makes a project from the current templates and builds it; its directory and its binary.
pub fn build(name: &str) -> (PathBuf, PathBuf) {
    let _alone = alone();
    let dir = generate(name);
    compile(&dir);
    let binary = keep(name, "now");
    (dir, binary)
}

/// Builds the next version of an operator: with `old` in one of its files replaced by `new`.
pub fn build_next(name: &str, file: &str, old: &str, new: &str) -> PathBuf {
    let _alone = alone();
    let dir = generate(name);
    let path = dir.join(file);
    let source = fs::read_to_string(&path).unwrap();
    assert!(source.contains(old), "{file} has no `{old}`");
    fs::write(&path, source.replace(old, new)).unwrap();
    compile(&dir);
    keep(name, "next")
}

fn compile(dir: &Path) {
    cargo(dir, "build --quiet --workspace --bins");
    let ran = rustop(dir, &["manifests"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

/// The project's story and files.
fn generate(name: &str) -> PathBuf {
    let dir = place(name);
    keeping_times(&dir, || {
        play(&home().join(name).join("story.txt"), &dir);
        for (path, text) in files(name) {
            let to = dir.join(path);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::write(to, text).unwrap();
        }
    });
    dir
}

/// A copy of the operator's binary which the next build leaves alone.
fn keep(name: &str, version: &str) -> PathBuf {
    let binary = target().join("debug").join(name);
    let kept = place(name).with_extension(version);
    let _ = fs::remove_file(&kept);
    fs::copy(&binary, &kept).unwrap();
    kept
}

fn cargo(dir: &Path, line: &str) {
    let ran = run(command(dir, "cargo").args(line.split(' ')));
    let dir = dir.display();
    assert_eq!(
        ran.code,
        Some(0),
        "cargo {line} in {dir}\n{}{}",
        ran.stdout,
        ran.stderr
    );
}

/// The operators are held to what the generated projects are held to.
#[test]
fn all_are_formatted_and_without_a_warning() {
    for name in ALL {
        let _alone = alone();
        let dir = generate(name);
        compile(&dir);
        cargo(&dir, "fmt --all --check");
        cargo(
            &dir,
            "clippy --quiet --workspace --all-targets -- -D warnings",
        );
        let ran = rustop(&dir, &["manifests", "--check", "--deny-warnings"]);
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
    }
}
