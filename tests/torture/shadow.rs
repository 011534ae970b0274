//! `rustop import --shadow`: compares a Lolcow in Rust with the same in Go, those of `tests/bench`.
//! Runs at night.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::story::{command, replayed, rustop};
use crate::support::{Ran, Sandbox, run};

fn bench() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench")
}

/// The original.
fn original(dir: &Path) -> PathBuf {
    let program = dir.join("manager");
    let built = run(Command::new("go")
        .args(["build", "-o"])
        .arg(&program)
        .env("CGO_ENABLED", "0")
        .current_dir(bench().join("go-peer")));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    program
}

/// The rewrite, by the name of the original, which children have in a label.
fn rewrite() -> PathBuf {
    let dir = replayed("shadowed");
    if dir.exists() {
        fs::remove_dir_all(&dir).unwrap();
    }
    fs::create_dir_all(&dir).unwrap();
    for line in [
        "init --domain my.domain --project-name go-peer",
        "create api --kind Lolcow",
    ] {
        let words: Vec<_> = line.split(' ').collect();
        let ran = rustop(&dir, &words);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    for file in ["api/src/v1alpha1/lolcow.rs", "src/controllers/lolcow.rs"] {
        fs::copy(bench().join("lolcow").join(file), dir.join(file)).unwrap();
    }
    edit(
        &dir.join("config/samples/v1alpha1_lolcow.yaml"),
        "message:",
        "greeting:",
    );
    dir
}

fn edit(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{}", file.display());
    fs::write(file, text.replace(from, to)).unwrap();
}

fn shadow(dir: &Path, more: &[&str], original: &Path) -> Ran {
    let sandbox = Sandbox::new();
    let ran = run(command(dir, "rustop")
        .args(["import", "--shadow"])
        .args(more)
        .arg("--")
        .arg(original)
        .env("RUSTOP_STATE", sandbox.state()));
    sandbox.assert_no_processes();
    ran
}

#[test]
#[ignore = "for the nights"]
fn a_rewrite_does_what_the_original_does() {
    let place = tempfile::tempdir().unwrap();
    let (original, dir) = (original(place.path()), rewrite());
    let ran = shadow(&dir, &[], &original);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    assert!(
        ran.stderr.contains("Compared 3 scenarios and") && ran.stderr.contains(": 0 differences"),
        "{}",
        ran.stderr
    );

    let controller = dir.join("src/controllers/lolcow.rs");
    edit(&controller, "lolcow:1.0", "lolcow:1.1");
    edit(
        &controller,
        "\"GREETING\", &lolcow.spec.greeting",
        "\"GREETING\", \"moo\"",
    );
    let ran = shadow(
        &dir,
        &[
            "--ignore",
            "deployment:spec.template.spec.containers[lolcow].env",
        ],
        &original,
    );
    assert_eq!(ran.code, Some(1), "{}\n{}", ran.stdout, ran.stderr);
    let told: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| !line.starts_with(' '))
        .collect();
    let image = "deployment/lolcow-sample spec.template.spec.containers[lolcow].image: \
                 ghcr.io/lolcow/lolcow:1.1 instead of ghcr.io/lolcow/lolcow:1.0";
    assert_eq!(told, [image]);
}
