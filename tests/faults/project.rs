//! The operator that all cases run: a story, with files of its own laid over it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::story::{command, keeping_times, replay, replayed, rustop, target, times};
use crate::support::{progress, run};

/// What a user would have written.
const FILES: [(&str, &str); 5] = [
    ("src/main.rs", include_str!("project/main.rs")),
    (
        "src/controllers/lolcow.rs",
        include_str!("project/lolcow.rs"),
    ),
    (
        "src/controllers/pasture.rs",
        include_str!("project/pasture.rs"),
    ),
    ("src/controllers/herd.rs", include_str!("project/herd.rs")),
    (
        "api/src/v1alpha1/herd.rs",
        include_str!("project/herd_types.rs"),
    ),
];

pub struct Project {
    pub dir: PathBuf,
    pub binary: PathBuf,
}

impl Project {
    /// Generates and builds it.
    pub fn build() -> Self {
        progress("builds the operator of all cases");
        let dir = replayed("faults");
        keeping_times(&dir, || {
            replay("faults");
            for (path, text) in FILES {
                fs::write(dir.join(path), text).unwrap();
            }
            depend_on(
                &dir,
                "futures = { version = \"0.3\", default-features = false }",
            );
            let manifests = rustop(&dir, &["manifests"]);
            assert_eq!(manifests.code, Some(0), "{}", manifests.stderr);
            // last, because what is rustop's is rendered anew by every command
            inspectable(&dir);
        });
        let build = run(command(&dir, "cargo").args(["build", "--quiet"]));
        assert_eq!(build.code, Some(0), "{}", build.stderr);
        Self {
            dir,
            binary: target().join("debug/faults-operator"),
        }
    }
}

/// With the manager as it is where it is written: projects have not what shows its caches.
fn inspectable(dir: &Path) {
    let vendored = dir.join("vendor/rustop-manager");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("manager/src");
    for (path, (text, time)) in times(&source) {
        let path = vendored.join("src").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let file = fs::File::options().write(true).open(path);
        file.unwrap().set_modified(time).unwrap();
    }
    replace(
        &vendored.join("Cargo.toml"),
        "[dependencies]\n",
        "[features]\ndefault = [\"inspect\"]\ninspect = []\nsource = []\nwebhook = []\n\n[dependencies]\n",
    );
}

fn depend_on(dir: &Path, line: &str) {
    let more = format!("[dependencies]\n{line}\n");
    replace(&dir.join("Cargo.toml"), "[dependencies]\n", &more);
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{}: no {from}", path.display());
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}
