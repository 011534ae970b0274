//! Replays each story and compares the project with its golden, as text. Nothing is compiled: a
//! stand-in for `cargo` answers with the CRDs of the golden. `tests/projects/golden.rs` replays the
//! same stories with the project's own `crdgen`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::dsl::{Place, rustop, toolchain, words};
use crate::goldens::{compare, golden, tree};

#[test]
fn lolcow() {
    check("lolcow");
}

#[test]
fn fleet() {
    check("fleet");
}

#[test]
fn namespaced() {
    check("namespaced");
}

#[test]
fn webhooks() {
    check("webhooks");
}

#[test]
fn imported() {
    check("imported");
}

#[test]
fn page() {
    check("page");
}

fn check(name: &str) {
    let place = Place::empty();
    let around = place.dir().parent().unwrap();
    let imported = golden(name).with_extension("yaml");
    if imported.exists() {
        fs::copy(&imported, around.join(imported.file_name().unwrap())).unwrap();
    }
    let cargo = stand_in(around, &crds(name));
    let story = fs::read_to_string(golden(name).with_extension("txt")).unwrap();
    for line in story.lines().filter(|line| !line.starts_with('#')) {
        let output = rustop(place.dir())
            .args(&words(line)[1..])
            .envs(toolchain())
            .env("CARGO", &cargo)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}\n{stderr}");
    }
    compare(name, place.dir());
}

/// The CRDs of a golden.
pub fn crds(name: &str) -> Vec<Value> {
    tree(&golden(name).join("config/crd/bases"))
        .values()
        .map(|text| serde_yaml::from_str(text).unwrap())
        .collect()
}

/// Writes a program that answers `cargo build` with a `crdgen` which prints these CRDs, and leaves
/// the rest to cargo.
pub fn stand_in(dir: &Path, crds: &[Value]) -> PathBuf {
    let crdgen = dir.join("crdgen");
    let crds = serde_json::to_string(crds).unwrap();
    script(&crdgen, &format!("printf %s {}", quoted(&crds)));
    let built = serde_json::json!({"target": {"name": "crdgen"}, "executable": crdgen});
    let cargo = dir.join("cargo");
    let line = format!(
        "[ \"$1\" = build ] || exec {} \"$@\"\nprintf '%s\\n' {}",
        quoted(env!("CARGO")),
        quoted(&built.to_string())
    );
    script(&cargo, &line);
    cargo
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn script(path: &Path, line: &str) {
    fs::write(path, format!("#!/bin/sh\n{line}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
