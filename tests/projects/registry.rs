//! A project that has the manager from the registry. It is overridden with the crate as it is
//! written here, since a test must not depend on what is published.

use std::fs;
use std::path::Path;

use crate::build::{cargo, check};
use crate::story::{replay, rustop, turn};

#[test]
fn registry() {
    let _turn = turn("registry");
    let dir = replay("registry");
    assert!(!dir.join("vendor").exists());
    let manager = Path::new(env!("CARGO_MANIFEST_DIR")).join("manager");
    let patch = format!("[patch.crates-io]\nrustop-manager = {{ path = {manager:?} }}\n");
    fs::create_dir(dir.join(".cargo")).unwrap();
    fs::write(dir.join(".cargo/config.toml"), patch).unwrap();
    let ran = rustop(&dir, &["manifests"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    check(&dir);
    cargo(&dir, "test --locked --quiet --workspace --lib --bins");
    // The package contains the whole crate and nothing else.
    let tree = "tree --locked --package rustop-manager --depth 0 --prefix none --format {f}";
    assert_eq!(cargo(&dir, tree).trim(), "default,testing,webhook");
}
