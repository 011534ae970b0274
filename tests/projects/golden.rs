//! Replays each story with the project's own `crdgen` and compares the project with its golden.
//! `tests/cli/golden.rs` compares the same texts without a build.

use crate::story::{compare, replay, rustop, turn};

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
    let _turn = turn(name);
    let dir = replay(name);
    compare(name, &dir);
    // A second run changes nothing, and no linter reports anything.
    let again = rustop(&dir, &["manifests", "--check", "--deny-warnings"]);
    assert_eq!(
        (again.code, again.stdout.as_str()),
        (Some(0), ""),
        "{}",
        again.stderr
    );
}
