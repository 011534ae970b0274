//! An operator that makes objects of a kind that others own: its tests have the CRD of that kind,
//! and dev does.

use std::fs;
use std::path::{Path, PathBuf};

use crate::build::check;
use crate::story::{command, play, replayed, turn};
use crate::support::{Sandbox, run};

/// Each Flock has its Wolf; `tests/golden/imported.yaml` has the CRD of the wolves.
fn project() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = replayed("foreign");
    fs::create_dir_all(dir.parent().unwrap()).unwrap();
    fs::copy(
        root.join("tests/golden/imported.yaml"),
        dir.with_extension("yaml"),
    )
    .unwrap();
    play(&root.join("tests/projects/foreign/story.txt"), &dir);
    let controller = dir.join("src/controllers/flock.rs");
    fs::copy(
        root.join("tests/projects/foreign/controller.rs"),
        controller,
    )
    .unwrap();
    dir
}

#[test]
#[ignore = "for the nights"]
fn kinds_of_others_are_there_in_the_tests_of_a_project() {
    let _turn = turn("foreign");
    let (dir, sandbox) = (project(), Sandbox::new());
    check(&dir);
    let mut make = command(&dir, "make");
    let ran = run(make.arg("test").env("RUSTOP_STATE", sandbox.state()));
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("test becomes_ready_and_says_so ... ok"),
        "{}",
        ran.stdout
    );
    sandbox.assert_no_processes();
}
