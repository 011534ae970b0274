//! The projects are held to what rustop itself is held to: formatted, without a warning, documented,
//! tested.

use crate::story::{alone, command, golden, replay};
use crate::support::run;

fn cargo(dir: &std::path::Path, line: &str) {
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
}

fn check(dir: &std::path::Path) {
    cargo(dir, "fmt --all --check");
    cargo(
        dir,
        "clippy --locked --quiet --workspace --all-targets -- -D warnings",
    );
    cargo(dir, "doc --locked --quiet --workspace --no-deps");
}

#[test]
fn lolcow() {
    let _alone = alone();
    let dir = golden("lolcow");
    check(&dir);
    cargo(&dir, "test --locked --quiet --workspace --lib --bins");
}

#[test]
fn fleet() {
    let _alone = alone();
    check(&replay("fleet"));
}

#[test]
fn namespaced() {
    let _alone = alone();
    check(&replay("namespaced"));
}

/// Kinds and groups that are words of Rust, of Cargo or of the skeleton itself.
#[test]
fn awkward() {
    let _alone = alone();
    let dir = replay("awkward");
    cargo(
        &dir,
        "clippy --locked --quiet --workspace --all-targets -- -D warnings",
    );
}

/// Every kind that Kubernetes has.
#[test]
fn builtins() {
    let _alone = alone();
    let dir = replay("builtins");
    cargo(&dir, "check --locked --quiet --workspace");
}
