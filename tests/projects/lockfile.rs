//! The lock file of new projects matches their manifests. After a change of a dependency,
//! `RUSTOP_OVERWRITE=1 cargo test --test projects lockfile` lets cargo complete it.

use std::fs;
use std::path::Path;

use crate::story::{command, rustop};
use crate::support::run;

/// A name of the maximum length that is not a dependency of any crate.
const NAME: &str = "zz-lockfile";

#[test]
fn it_fits_the_manifests() {
    let dir = tempfile::tempdir().unwrap();
    let init = ["init", "--domain", "my.domain", "--project-name", NAME];
    assert_eq!(rustop(dir.path(), &init).code, Some(0));
    let lock = dir.path().join("Cargo.lock");
    let before = fs::read_to_string(&lock).unwrap();
    let ran = run(command(dir.path(), "cargo").args(["metadata", "--format-version", "1"]));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let after = fs::read_to_string(&lock).unwrap();
    if std::env::var_os("RUSTOP_OVERWRITE").is_some() {
        let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/Cargo.lock.tera");
        fs::write(template, after.replace(NAME, "{{ project_name }}")).unwrap();
    } else {
        assert_eq!(
            before, after,
            "RUSTOP_OVERWRITE=1 cargo test --test projects lockfile"
        );
    }
}
