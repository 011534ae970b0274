//! The lock file of new projects matches their manifests. After a change of a dependency,
//! `RUSTOP_OVERWRITE=1 cargo test --test projects lockfile` lets cargo complete it.

use std::fs;
use std::path::Path;

use crate::story::{command, rustop};
use crate::support::run;

/// A name of the maximum length that is not a dependency of any crate.
const NAME: &str = "zz-lockfile";

/// The first line of the manager's stanza.
const MANAGER: &str = "name = \"rustop-manager\"\n";

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
        let text = after.replace(NAME, "{{ project_name }}");
        // The stanza of the manager depends on the project: it is vendored or from the registry.
        let (before, rest) = text.split_once(MANAGER).unwrap();
        let (_, rest) = rest.split_once('\n').unwrap();
        let manager = "version = \"{{ manager_version }}\"\n{{ manager_origin }}";
        fs::write(template, format!("{before}{MANAGER}{manager}{rest}")).unwrap();
    } else {
        assert_eq!(
            before, after,
            "RUSTOP_OVERWRITE=1 cargo test --test projects lockfile"
        );
    }
}
