//! The messages of rustop about Rust types without a schema, or with one that loses data: each file
//! of `types/` replaces that of a kind, and the output of `rustop lint` must equal the text next to
//! it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::story::{replay, rustop, turn};

fn types() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects/types")
}

/// Puts the types of a file into a project.
pub fn put(dir: &Path, name: &str) {
    let file = types().join(format!("{name}.rs"));
    fs::copy(file, dir.join("api/src/v1alpha1/lolcow.rs")).unwrap();
}

/// Returns rustop's own output, without cargo's progress and the locations of panics in kube.
fn said(stderr: &str) -> String {
    const CARGO: [&str; 4] = [
        "   Compiling ",
        "    Finished ",
        "    Blocking ",
        "thread 'main' (",
    ];
    let lines = stderr
        .lines()
        .filter(|line| !CARGO.iter().any(|start| line.starts_with(start)));
    lines.fold(String::new(), |said, line| said + line.trim_end() + "\n")
}

#[test]
fn each_awkward_type_gets_an_error_or_a_warning_that_says_what_to_write() {
    let _turn = turn("types");
    let dir = replay("types");
    let mut wrong = Vec::new();
    for (name, code) in [
        ("adjacent", 1),
        ("mixed", 1),
        ("recursive", 1),
        ("refused", 1),
        ("rules", 1),
        ("tagged", 1),
        ("twice", 1),
        ("unheard", 0),
        ("warned", 0),
    ] {
        put(&dir, name);
        let ran = rustop(&dir, &["lint"]);
        let said = said(&ran.stderr);
        let expected = types().join(format!("{name}.txt"));
        if std::env::var_os("RUSTOP_OVERWRITE").is_some() {
            fs::write(&expected, &said).unwrap();
        }
        if ran.code != Some(code) || said != fs::read_to_string(&expected).unwrap_or_default() {
            wrong.push(format!("{name}, exit {:?}:\n{said}", ran.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn manifests_tells_what_would_be_refused_or_lost_and_no_more() {
    let _turn = turn("types");
    let dir = replay("types");
    put(&dir, "refused");
    let ran = rustop(&dir, &["manifests"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(!dir.join("config/crd/bases").exists(), "nothing is written");
    put(&dir, "warned");
    let ran = rustop(&dir, &["manifests"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let rules: Vec<_> = ran
        .stderr
        .lines()
        .filter_map(|line| line.strip_prefix("warning[")?.split(']').next())
        .collect();
    assert_eq!(
        rules,
        [
            "lost-path",
            "crd-size",
            "pruned",
            "pruned",
            "integers",
            "no-floats",
            "lost-variant",
            "lost-validation",
            "lost-validation",
            "null-in-enum",
            "null-in-enum"
        ],
        "{}",
        ran.stderr
    );
    let ran = rustop(&dir, &["manifests", "--deny-warnings"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
}

#[test]
fn what_rustop_writes_itself_is_clean() {
    for story in ["lolcow", "fleet", "namespaced"] {
        let _turn = turn(story);
        let ran = rustop(&replay(story), &["lint", "--deny-warnings"]);
        assert_eq!(ran.code, Some(0), "{story}: {}", ran.stderr);
    }
}

#[test]
fn project_says_which_rules_look() {
    let _turn = turn("types");
    let dir = replay("types");
    put(&dir, "warned");
    let project = fs::read_to_string(dir.join("PROJECT")).unwrap();
    let with = |lint: &str| fs::write(dir.join("PROJECT"), format!("{project}{lint}")).unwrap();
    with(
        "lint:\n  disable: [pruned, no-phase]\n  enable: [no-bools, max-length, min-length]\n  forbiddenNames: [{ pattern: '^ratio$', instead: write `share` }]\n",
    );
    let ran = rustop(&dir, &["lint"]);
    assert!(
        !ran.stderr.contains("[pruned]") && !ran.stderr.contains("[no-phase]"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .contains("warning[max-length]: Lolcow v1alpha1 .spec.phase:"),
        "{}",
        ran.stderr
    );
    for said in [
        "warning[min-length]: Lolcow v1alpha1 .spec.sizes: the field has no `minProperties`",
        "warning[naming-conventions]: Lolcow v1alpha1 .spec.ratio: `lint.forbiddenNames` forbids the name `ratio`: write `share`",
    ] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    let list = rustop(&dir, &["lint", "--list"]).stdout;
    assert!(
        list.lines()
            .any(|line| line.starts_with("no-phase") && line.contains("  off  ")),
        "{list}"
    );
    with("lint:\n  disable: [no-fase]\n");
    let ran = rustop(&dir, &["lint"]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.contains("unknown rule `no-fase`"),
        "{}",
        ran.stderr
    );
}
