//! `rustop torture` on operators with one planted bug each, after the classes that are known of real ones: it
//! has to find each, name it rightly, and show it again. It knows nothing of them but their CRD, sample and
//! roles.
//!
//! `cargo test` runs the operator that is right and a few that are not; `cargo test --test torture -- --ignored`
//! the rest.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../support/mod.rs"]
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use support::{Ran, Sandbox, progress, run};

/// A control plane and its operators keep a machine busy.
static ALONE: Mutex<()> = Mutex::new(());

/// What belongs to the operator of all tests.
fn flock() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/torture/flock")
}

/// Its program, which cargo builds beside the tests.
fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let target = tests.parent().and_then(Path::parent).unwrap();
    target.join("examples/flock")
}

/// Tortures an operator with the words of `line`, and `more` behind its name.
fn torture(sandbox: &Sandbox, line: &str, more: &[&str]) -> Ran {
    let mut command = sandbox.rustop(&format!("torture {line}"));
    for what in ["crds", "samples", "rbac"] {
        command.arg(format!("--{what}")).arg(flock().join(what));
    }
    run(command.arg("--").arg(program()).args(more))
}

fn report(sandbox: &Sandbox) -> Value {
    let text = fs::read_to_string(sandbox.path().join("target/torture/report.json"));
    serde_json::from_str(&text.unwrap()).unwrap()
}

/// Finds a bug and shows it again.
fn finds(bug: &str, classes: &[&str], object: &str) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    progress(&format!("tortures an operator that has the bug {bug}"));
    let sandbox = Sandbox::new();
    let ran = torture(&sandbox, "--seed 1 --budget 100s", &["--bug", bug]);
    assert_eq!(ran.code, Some(1), "{bug}: {}\n{}", ran.stdout, ran.stderr);
    let report = report(&sandbox);
    let findings = report["findings"].as_array().unwrap();
    let named = findings.iter().find(|finding| {
        let class = finding["class"].as_str().unwrap();
        classes.contains(&class) && finding["object"].as_str().unwrap().contains(object)
    });
    let Some(named) = named else {
        panic!("{bug} is not named {classes:?}: {}", ran.stdout)
    };
    let id = named["id"].as_str().unwrap();
    let again = torture(&sandbox, &format!("--replay {id}"), &["--bug", bug]);
    assert_eq!(
        again.code,
        Some(1),
        "{id}: {}\n{}",
        again.stdout,
        again.stderr
    );
    sandbox.assert_no_processes();
}

macro_rules! bugs {
    ($($(#[$attribute:meta])* $test:ident: $bug:literal is $classes:expr, $object:literal;)*) => {
        $(#[test] $(#[$attribute])* fn $test() { finds($bug, &$classes, $object); })*
    };
}

bugs! {
    // In every run of the tests.
    what_the_spec_no_longer_asks_for: "never-removes" is ["not-removed"], "configmap/merino-note";
    #[ignore = "for the nights"] the_finalizer_first: "finalizer-first" is ["leftover"], "configmap/merino-record";
    #[ignore = "for the nights"] the_status_first: "status-first" is ["missing", "not-restored", "not-updated"], "";
    #[ignore = "for the nights"] half_of_it: "half-done" is ["missing", "not-restored"], "configmap/merino-note";
    #[ignore = "for the nights"] an_old_cache_deletes: "stale-delete" is ["deleted-twice"], "configmaps";
    #[ignore = "for the nights"] an_old_cache_creates: "counts-in-cache" is ["created-twice"], "pods";
    #[ignore = "for the nights"] no_way_down: "no-scale-down" is ["not-removed"], "pod/merino";
    #[ignore = "for the nights"] a_field_looked_at_once: "blind-field" is ["not-updated", "not-corrected"], "configmap/merino-song";
    #[ignore = "for the nights"] a_field_never_looked_at: "unread-field" is ["field-without-effect"], "spec.song";
    #[ignore = "for the nights"] work_for_the_deleted: "ignores-deletion" is ["work-on-deleted", "stuck-deletion"], "";
    #[ignore = "for the nights"] somebody_elses: "adopts" is ["adopted"], "";
    #[ignore = "for the nights"] against_the_defaults: "fights-defaults" is ["hot-loop"], "services";
    #[ignore = "for the nights"] never_out_of_trouble: "stuck-after-error" is ["not-recovered", "wrong-status", "not-updated"], "";
    #[ignore = "for the nights"] a_panic: "panics" is ["panic"], "operator";
    #[ignore = "for the nights"] without_the_right: "forbidden" is ["forbidden"], "list nodes";
    #[ignore = "for the nights"] not_a_word: "silent-refusal" is ["silent-refusal"], "merino-song";
    #[ignore = "for the nights"] left_behind: "leftover" is ["leftover"], "configmap/merino-record";
    #[ignore = "for the nights"] never_let_go: "stuck-deletion" is ["stuck-deletion"], "flock/merino";
    #[ignore = "for the nights"] never_made_again: "not-restored" is ["not-restored"], "pod/merino";
}

#[test]
fn the_right_way_is_found_right() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let sandbox = Sandbox::new();
    let ran = torture(&sandbox, "--seed 1 --budget 60s", &[]);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    let report = report(&sandbox);
    assert_eq!(report["findings"], serde_json::json!([]));
    assert!(report["faults"]["tried"].as_u64().unwrap() > 0, "{report}");
    sandbox.assert_no_processes();
}

/// What keeps an operator from being tortured is said with what to do, and with exit code 2.
#[test]
fn what_cannot_be_tortured_is_told_why() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let sandbox = Sandbox::new();
    let ran = torture(&sandbox, "", &["--bug", "no-such-bug"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("ended at its start") && ran.stderr.contains("no bug is called"),
        "{}",
        ran.stderr
    );

    let empty = sandbox.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let line = format!(
        "torture --crds {} --samples {}",
        flock().join("crds").display(),
        empty.display()
    );
    let ran = run(sandbox.rustop(&line).arg("--").arg(program()));
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("there is no sample"), "{}", ran.stderr);

    let ran = run(&mut sandbox.rustop(&format!("{line} --replay nothing -- true")));
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("there is no finding `nothing`"),
        "{}",
        ran.stderr
    );

    let line = line.replace("empty", "samples");
    fs::create_dir(sandbox.path().join("samples")).unwrap();
    let wrong = fs::read_to_string(flock().join("samples/flock.yaml"))
        .unwrap()
        .replace("sheep: 2", "sheep: 9");
    fs::write(sandbox.path().join("samples/flock.yaml"), wrong).unwrap();
    let ran = run(sandbox.rustop(&line).arg("--").arg(program()));
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("refuses the sample flock/merino"),
        "{}",
        ran.stderr
    );
    sandbox.assert_no_processes();
}
