//! Replays a story: a file of plain `rustop` lines.

#![allow(dead_code, reason = "no test binary uses all of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::SystemTime;

use walkdir::WalkDir;

use crate::support::{Ran, Sandbox, progress, run};

#[path = "golden.rs"]
mod goldens;
#[allow(unused_imports, reason = "no test binary uses all of it")]
pub use goldens::{compare, golden, tree};

thread_local! {
    /// The story whose project the current test uses.
    static HELD: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Held by a test as long as it works with the project of a story, which is made in one place.
pub struct Turn {
    _held: MutexGuard<'static, ()>,
}

/// Waits until no other test works with a story.
pub fn turn(story: &str) -> Turn {
    static ALL: Mutex<BTreeMap<String, &'static Mutex<()>>> = Mutex::new(BTreeMap::new());
    let free = HELD.with_borrow(Option::is_none);
    assert!(free, "two tests that wait for each other's story never end");
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let one = *all
        .entry(story.to_owned())
        .or_insert_with(|| Box::leak(Box::default()));
    drop(all);
    let held = one.lock().unwrap_or_else(PoisonError::into_inner);
    HELD.set(Some(story.to_owned()));
    progress(&format!("has its turn with {story}"));
    Turn { _held: held }
}

impl Drop for Turn {
    fn drop(&mut self) {
        HELD.set(None);
    }
}

/// The stories whose projects are built with the manager that they have themselves, as a user's
/// are: one with a vendored crate, one with the crate from a registry.
const OWN_MANAGER: [&str; 2] = ["namespaced", "registry"];

/// The story whose types `crdgen` cannot describe. rustop finds the line of each in the backtrace,
/// which has lines only with debug information.
const WITH_LINES: &str = "types";

/// Makes cargo use the manager of this repository in all other projects, and compile it once
/// instead of once per project. The vendored files are the same: the golden projects are compared
/// with them file by file.
fn share_manager() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let manager = Path::new(env!("CARGO_MANIFEST_DIR")).join("manager");
        for above in ["stories", "operators"] {
            let dir = home().join(above).join(".cargo");
            fs::create_dir_all(&dir).unwrap();
            // Other test processes may be reading it: the file is replaced, never truncated.
            let mut file = tempfile::NamedTempFile::new_in(&dir).unwrap();
            writeln!(file, "paths = [\"{}\"]", manager.display()).unwrap();
            file.persist(dir.join("config.toml")).unwrap();
        }
    });
}

/// Returns cargo's target directory for the project in `dir`. All projects share the intermediate
/// files, whose names are unique, but not the programs: each has a `crdgen`.
pub fn target(dir: &Path) -> PathBuf {
    let below = dir.strip_prefix(home()).unwrap_or(Path::new("elsewhere"));
    home().join("targets").join(below)
}

fn home() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// Runs the lines of a golden's story in a new directory. It has the same path every time, and what
/// is as it was keeps its time, so that cargo finds what it built before.
pub fn replay(name: &str) -> PathBuf {
    let is_held = HELD.with_borrow(|held| held.as_deref() == Some(name));
    assert!(is_held, "`let _turn = turn({name:?});` goes before this");
    let dir = replayed(name);
    keeping_times(&dir, || {
        play(&golden(&format!("{name}.txt")), &dir);
    });
    dir
}

/// The directory of a story's project.
pub fn replayed(name: &str) -> PathBuf {
    let above = if OWN_MANAGER.contains(&name) {
        "alone"
    } else {
        "stories"
    };
    home().join(above).join(name)
}

/// Runs the lines of the file `story` in `dir`, emptied before.
pub fn play(story: &Path, dir: &Path) -> PathBuf {
    if dir.exists() {
        fs::remove_dir_all(dir).unwrap();
    }
    fs::create_dir_all(dir).unwrap();
    // The CRDs that a story imports are in a file next to it.
    let beside = story.with_extension("yaml");
    if beside.exists() {
        fs::copy(&beside, dir.with_extension("yaml")).unwrap();
    }
    let text = fs::read_to_string(story).unwrap();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words = words(line);
        assert_eq!(words[0], "rustop", "{}: {line}", story.display());
        let ran = rustop(dir, &words[1..]);
        assert_eq!(ran.code, Some(0), "{line}\n{}", ran.stderr);
    }
    dir.to_owned()
}

/// Runs `make`, which writes a project again. Files that do not change keep their modification
/// times, so that cargo does not build them again.
pub fn keeping_times(dir: &Path, make: impl FnOnce()) {
    let before = times(dir);
    make();
    for (path, (text, _)) in times(dir) {
        if let Some((_, time)) = before.get(&path).filter(|(known, _)| *known == text) {
            let file = fs::File::options().write(true).open(dir.join(path));
            file.unwrap().set_modified(*time).unwrap();
        }
    }
}

/// The files below a directory with their content and time, by their path.
pub fn times(dir: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let entries = WalkDir::new(dir).into_iter().flatten();
    let files = entries.filter(|entry| entry.file_type().is_file());
    let file = |entry: walkdir::DirEntry| {
        let path = entry.path().strip_prefix(dir).unwrap().to_owned();
        let time = entry.metadata().unwrap().modified().unwrap();
        (path, (fs::read(entry.path()).unwrap(), time))
    };
    files.map(file).collect()
}

/// `rustop` in a project.
pub fn rustop<S: AsRef<std::ffi::OsStr>>(dir: &Path, arguments: &[S]) -> Ran {
    run(command(dir, env!("CARGO_BIN_EXE_rustop")).args(arguments))
}

/// A command in a project: with the shared target directory, and with `rustop` on its path.
pub fn command(dir: &Path, program: &str) -> Command {
    let bin = Path::new(env!("CARGO_BIN_EXE_rustop"))
        .parent()
        .unwrap()
        .to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([bin].into_iter().chain(std::env::split_paths(&path))).unwrap();
    share_manager();
    // Without debug information, rustc takes a sixth less time, and the code is the same.
    let debug = if dir.ends_with(WITH_LINES) {
        "line-tables-only"
    } else {
        "none"
    };
    let mut command = Command::new(program);
    command
        .current_dir(dir)
        .env("PATH", path)
        .env("CARGO_BUILD_BUILD_DIR", home().join("projects"))
        .env("CARGO_TARGET_DIR", target(dir))
        // Some thirty projects are built: what one user's edits gain from would be 20 GB here.
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_PROFILE_DEV_DEBUG", debug);
    // What cargo tells rustop's own tests is not for the projects.
    for (name, _) in
        std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO_PKG"))
    {
        command.env_remove(name);
    }
    command
        .env_remove("CARGO")
        .env_remove("CARGO_MANIFEST_DIR")
        .env_remove("RUSTFLAGS");
    command
}

/// A command in a project that works on the sandbox's cluster called `default`.
pub fn on_cluster(sandbox: &Sandbox, dir: &Path, program: &str) -> Command {
    let status = sandbox.status("default").remove(0);
    let assets = PathBuf::from(status["assets"].as_str().unwrap());
    let mut command = command(dir, program);
    command
        .env("KUBECONFIG", status["kubeconfig"].as_str().unwrap())
        .env("KUBECTL", assets.join("kubectl"))
        .env("RUSTOP_STATE", sandbox.state());
    command
}

/// Returns the status of the cluster of the project in `dir`, from `rustop cluster status`.
pub fn cluster_of(sandbox: &Sandbox, dir: &Path) -> serde_json::Value {
    let ran = in_project(sandbox, dir, "cluster status --output json");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let mut found: Vec<serde_json::Value> = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

/// `rustop` in a project, with the clusters of the sandbox.
pub fn in_project(sandbox: &Sandbox, dir: &Path, line: &str) -> Ran {
    let mut command = command(dir, "rustop");
    run(command
        .args(line.split(' '))
        .env("RUSTOP_STATE", sandbox.state()))
}

/// Splits a line as a shell would, as far as stories need it: at blanks, but not inside double
/// quotes.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    parts.fold(vec![String::new()], |mut words, (n, part)| {
        if n % 2 == 1 {
            words.last_mut().unwrap().push_str(part);
        } else {
            for (n, word) in part.split(' ').enumerate() {
                if n > 0 {
                    words.push(String::new());
                }
                words.last_mut().unwrap().push_str(word);
            }
        }
        words
    })
}

#[test]
fn quoted_words_stay_together() {
    assert_eq!(
        words(r#"rustop init --owner "A B" -q"#),
        ["rustop", "init", "--owner", "A B", "-q"]
    );
}
