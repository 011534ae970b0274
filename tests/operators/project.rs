//! The project of an operator: its story, and its files laid over what came out.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::story::{command, keeping_times, play, rustop, target, times};
use crate::support::{progress, run};

/// The operators, and how the next version of each differs: in one place of one file.
const ALL: [(&str, Edit); 5] = [
    (
        "lolcow",
        ("src/controllers/lolcow.rs", "lolcow:v1", "lolcow:v2"),
    ),
    (
        "pod-set",
        ("src/controllers/batch_pod_set.rs", "worker:v1", "worker:v2"),
    ),
    (
        "pulsar-consumer",
        (
            "src/controllers/consumer_pulsar_consumer.rs",
            "consumer:v1",
            "consumer:v2",
        ),
    ),
    (
        "multi-secret",
        (
            "src/controllers/multi_multi_secret.rs",
            "Secrets in",
            "These Secrets in",
        ),
    ),
    (
        "cloud-instance",
        (
            "src/controllers/cloud_instance.rs",
            "from_secs(3600)",
            "from_secs(1)",
        ),
    ),
];

/// A file of a project, what is in it, and what takes its place.
type Edit = (&'static str, &'static str, &'static str);

/// A project that was made and built. Tests share it, so none of them writes into it.
#[derive(Clone)]
pub struct Made {
    pub dir: PathBuf,
    pub binary: PathBuf,
    /// The next version of the operator.
    pub next: PathBuf,
}

/// Returns the directory of the operators.
pub fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/operators")
}

/// Returns the files that the user of an operator edited, by their paths in the project.
pub fn files(name: &str) -> BTreeMap<PathBuf, String> {
    let text = |(content, _)| String::from_utf8(content).unwrap();
    let files = times(&home().join(name).join("files")).into_iter();
    files.map(|(path, file)| (path, text(file))).collect()
}

/// Returns the directory in which the project of an operator is generated.
fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("operators")
        .join(name)
}

/// The project of an operator, made from the current templates when the first test asks for it.
pub fn made(name: &str) -> Made {
    static MADE: Mutex<BTreeMap<String, Made>> = Mutex::new(BTreeMap::new());
    let mut all = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(made) = all.get(name) {
        return made.clone();
    }
    let made = make(name);
    all.insert(name.to_owned(), made.clone());
    made
}

fn make(name: &str) -> Made {
    progress(&format!("builds {name} and its next version"));
    let (_, (file, old, new)) = ALL.into_iter().find(|(known, _)| *known == name).unwrap();
    let dir = generate(name);
    compile(&dir);
    let binary = keep(name, "now");
    let path = dir.join(file);
    let source = fs::read_to_string(&path).unwrap();
    assert!(source.contains(old), "{file} has no `{old}`");
    fs::write(&path, source.replace(old, new)).unwrap();
    compile(&dir);
    let next = keep(name, "next");
    fs::write(path, source).unwrap();
    Made { dir, binary, next }
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
    let binary = target(&place(name)).join("debug").join(name);
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
    for (name, _) in ALL {
        let dir = made(name).dir;
        progress(&format!("looks for warnings in {name}"));
        cargo(&dir, "fmt --all --check");
        cargo(
            &dir,
            "clippy --quiet --workspace --all-targets -- -D warnings",
        );
        let ran = rustop(&dir, &["manifests", "--check", "--deny-warnings"]);
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
    }
}

/// A test must not replace the project with which another test works.
#[test]
fn a_project_is_made_once() {
    let inode = |dir: &Path| {
        fs::metadata(dir.join("config/rbac/role.yaml"))
            .unwrap()
            .ino()
    };
    let dir = made("pulsar-consumer").dir;
    let before = inode(&dir);
    assert_eq!(inode(&made("pulsar-consumer").dir), before);
}
