//! The operator that all cases run: a story, with files of its own laid over it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::story::{command, keeping_times, replay, replayed, rustop, target, turn};
use crate::support::{progress, run};

/// The files that a user would write.
const FILES: [(&str, &str); 6] = [
    ("src/main.rs", include_str!("project/main.rs")),
    ("src/dynamic.rs", include_str!("project/dynamic.rs")),
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
        let _turn = turn("faults");
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
            let edited = rustop(
                &dir,
                &["edit", "--manager-features", "dynamic,inspect,otel", "-q"],
            );
            assert_eq!(edited.code, Some(0), "{}", edited.stderr);
            let manifests = rustop(&dir, &["manifests"]);
            assert_eq!(manifests.code, Some(0), "{}", manifests.stderr);
        });
        let build = run(command(&dir, "cargo").args(["build", "--quiet"]));
        assert_eq!(build.code, Some(0), "{}", build.stderr);
        let binary = target(&dir).join("debug/faults-operator");
        Self { dir, binary }
    }
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
