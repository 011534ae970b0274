//! The operator that all cases run: a story, with files of its own laid over it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::story::{command, keeping_times, replay, replayed, rustop, target};
use crate::support::{progress, run};

/// What a user would have written.
const FILES: [(&str, &str); 3] = [
    ("src/main.rs", include_str!("project/main.rs")),
    (
        "src/controllers/lolcow.rs",
        include_str!("project/lolcow.rs"),
    ),
    (
        "src/controllers/pasture.rs",
        include_str!("project/pasture.rs"),
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
        });
        let manifests = rustop(&dir, &["manifests"]);
        assert_eq!(manifests.code, Some(0), "{}", manifests.stderr);
        let build = run(command(&dir, "cargo").args(["build", "--quiet"]));
        assert_eq!(build.code, Some(0), "{}", build.stderr);
        Self {
            dir,
            binary: target().join("debug/faults-operator"),
        }
    }
}

fn depend_on(dir: &Path, line: &str) {
    let path = dir.join("Cargo.toml");
    let text = fs::read_to_string(&path).unwrap();
    let more = text.replacen("[dependencies]\n", &format!("[dependencies]\n{line}\n"), 1);
    fs::write(path, more).unwrap();
}
