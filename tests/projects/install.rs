//! `make install` of a generated project, with a `kubectl` that plays a slow API server.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::story::golden;
use crate::support::{Ran, run};

/// Reports that the CRD has no conditions as often as the file `late` has lines, as `kubectl wait`
/// does right after an apply.
const KUBECTL: &str = r#"#!/bin/sh
echo "$1" >> "$DIR/calls"
case "$1" in
kustomize) echo "kind: CustomResourceDefinition" ;;
wait)
    if [ -s "$DIR/late" ]; then
        sed -i 1d "$DIR/late"
        echo "error: .status.conditions accessor error: <nil> is of the type <nil>, expected []interface{}" >&2
        exit 1
    fi ;;
esac
"#;

/// Runs `make install` of the golden project, whose CRD has no conditions in the first `late` calls
/// of `kubectl wait`. Returns its result, and the number of these calls.
fn install(late: usize) -> (Ran, usize) {
    let dir = tempfile::tempdir().unwrap();
    let makefile = golden("lolcow").join("Makefile");
    fs::copy(makefile, dir.path().join("Makefile")).unwrap();
    fs::write(dir.path().join("late"), "late\n".repeat(late)).unwrap();
    write_program(dir.path(), "kubectl", KUBECTL);
    // The test does not wait between the calls.
    write_program(dir.path(), "sleep", "#!/bin/sh\n");
    let path = format!(
        "{}:{}",
        dir.path().display(),
        std::env::var("PATH").unwrap()
    );
    let ran = run(Command::new("make")
        .args(["install", "RUSTOP=true", "KUBECTL=kubectl"])
        .current_dir(dir.path())
        .env("PATH", path)
        .env("DIR", dir.path()));
    let calls = fs::read_to_string(dir.path().join("calls")).unwrap();
    (ran, calls.lines().filter(|line| *line == "wait").count())
}

fn write_program(dir: &Path, name: &str, text: &str) {
    let file = dir.join(name);
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_crd_that_gets_its_conditions_late_is_awaited() {
    let (ran, calls) = install(5);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(calls, 7);
}

#[test]
fn a_crd_that_is_never_established_is_an_error() {
    let (ran, _) = install(1000);
    assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("accessor error"), "{}", ran.stderr);
}
