//! The projects are held to what rustop itself is held to: formatted, without a warning,
//! documented, tested.

use std::path::Path;

use crate::story::{command, replay, turn};
use crate::support::run;

/// Runs cargo, expects success, and returns what it printed.
pub fn cargo(dir: &Path, line: &str) -> String {
    let ran = run(command(dir, "cargo")
        .args(line.split(' '))
        .env("RUSTDOCFLAGS", "-D warnings"));
    assert_eq!(
        ran.code,
        Some(0),
        "cargo {line} in {}\n{}{}",
        dir.display(),
        ran.stdout,
        ran.stderr
    );
    ran.stdout
}

pub fn check(dir: &Path) {
    cargo(dir, "fmt --all --check");
    cargo(
        dir,
        "clippy --locked --quiet --workspace --all-targets -- -D warnings",
    );
    cargo(dir, "doc --locked --quiet --workspace --no-deps");
}

#[test]
fn lolcow() {
    let _turn = turn("lolcow");
    let dir = replay("lolcow");
    check(&dir);
    cargo(&dir, "test --locked --quiet --workspace --lib --bins");
    cargo(&dir, "test --locked --quiet --workspace --doc");
}

/// `make run` needs exactly the builds of `rustop manifests` and `make test`: every dependency has
/// the same features in each, so that cargo compiles it once.
#[test]
fn no_dependency_is_compiled_twice() {
    let _turn = turn("lolcow");
    let dir = replay("lolcow");
    let features = |selection: &str| {
        let line = format!("tree --locked --prefix none --format {{p}}|{{f}} {selection}");
        let mut lines: Vec<String> = cargo(&dir, &line)
            .lines()
            .filter(|line| !line.is_empty())
            .map(|line| line.trim_end_matches(" (*)").to_owned())
            .collect();
        lines.sort();
        lines.dedup();
        lines
    };
    let operator = features("--package lolcow-operator");
    assert!(operator.iter().any(|line| line.starts_with("tokio v")));
    assert_eq!(operator, features("--workspace"));
}

#[test]
fn fleet() {
    let _turn = turn("fleet");
    check(&replay("fleet"));
}

#[test]
fn webhooks() {
    let _turn = turn("webhooks");
    let dir = replay("webhooks");
    check(&dir);
    cargo(&dir, "test --locked --quiet --test lolcow_conversion");
}

#[test]
fn namespaced() {
    let _turn = turn("namespaced");
    check(&replay("namespaced"));
}

/// Kinds and groups that are words of Rust, of Cargo or of the skeleton itself.
#[test]
fn awkward() {
    let _turn = turn("awkward");
    let dir = replay("awkward");
    cargo(
        &dir,
        "clippy --locked --quiet --workspace --all-targets -- -D warnings",
    );
}

/// Every kind that Kubernetes has.
#[test]
fn builtins() {
    let _turn = turn("builtins");
    let dir = replay("builtins");
    cargo(&dir, "check --locked --quiet --workspace");
}
