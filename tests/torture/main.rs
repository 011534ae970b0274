//! `rustop torture` on operators with one planted bug each, after the classes that are known of real ones: it
//! has to find each, name it rightly, and show it again. It knows nothing of them but their CRD, sample and
//! roles.
//!
//! `cargo test` tries one of them, what keeps an operator from being tortured, and what ends it; `.ci/nightly` the
//! others, those in Go and the one that is right.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../support/browser/mod.rs"]
mod browser;
#[path = "../operators/cloud-instance/cloud.rs"]
#[allow(dead_code, reason = "it can do more than is needed here")]
mod cloud;
mod projects;
mod shadow;
#[path = "../support/story.rs"]
mod story;
#[path = "../support/mod.rs"]
mod support;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use browser::Tab;
use rustix::process::Signal;
use serde_json::Value;
use support::{Ran, Sandbox, kill, progress, run};

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
    let program = target.join("examples/flock");
    assert!(
        program.exists(),
        "with `--test` cargo builds no examples: cargo build --example flock"
    );
    program
}

/// `rustop torture` with the words of `line` for a program with the arguments `more`.
fn command(sandbox: &Sandbox, program: &Path, line: &str, more: &[&str]) -> Command {
    let mut command = sandbox.rustop(&format!("torture {line}"));
    for what in ["crds", "samples", "rbac", "scenarios"] {
        command.arg(format!("--{what}")).arg(flock().join(what));
    }
    command.arg("--").arg(program).args(more);
    command
}

fn torture(sandbox: &Sandbox, program: &Path, line: &str, more: &[&str]) -> Ran {
    run(&mut command(sandbox, program, line, more))
}

fn report(sandbox: &Sandbox) -> Value {
    let text = fs::read_to_string(sandbox.path().join("target/torture/report.json"));
    serde_json::from_str(&text.unwrap()).unwrap()
}

/// Finds a bug with the words of `line`, and shows it again.
fn finds(program: &Path, bug: &str, line: &str, classes: &[&str], object: &str) -> Value {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    progress(&format!("tortures an operator that has the bug {bug}"));
    let sandbox = Sandbox::new();
    let ran = torture(
        &sandbox,
        program,
        &format!("--seed 1 {line}"),
        &["--bug", bug],
    );
    assert_eq!(ran.code, Some(1), "{bug}: {}\n{}", ran.stdout, ran.stderr);
    let report = report(&sandbox);
    let findings = report["findings"].as_array().unwrap();
    let named = findings.iter().find(|finding| {
        let class = finding["class"].as_str().unwrap();
        classes.contains(&class) && finding["object"].as_str().unwrap().contains(object)
    });
    let Some(named) = named else {
        panic!(
            "{bug} is not named {classes:?}: {}\n{}",
            ran.stdout, ran.stderr
        )
    };
    let id = named["id"].as_str().unwrap();
    looks(&sandbox, id, object);
    let again = torture(
        &sandbox,
        program,
        &format!("--replay {id}"),
        &["--bug", bug],
    );
    assert_eq!(
        again.code,
        Some(1),
        "{id}: {}\n{}",
        again.stdout,
        again.stderr
    );
    sandbox.assert_no_processes();
    named.clone()
}

/// The page of the report, as a browser shows it: what was found, and a timeline of it that can be worked with.
fn looks(sandbox: &Sandbox, id: &str, object: &str) {
    let page = sandbox.path().join("target/torture/report.html");
    let tab = Tab::open(&format!("file://{}", page.display()));
    let text = tab.says(&format!("[id='{id}']"), &["rustop torture --replay", id]);
    assert!(text.contains(object), "{text}");
    let label =
        format!("document.querySelector(\"[id='{id}'] canvas\").getAttribute('aria-label')");
    let whole = tab.until(&format!("{label}.includes('in sight 0.00 s') && {label}"));
    assert!(!whole.as_str().unwrap().starts_with("0 lanes"), "{whole}");
    tab.eval(&format!(
        "document.querySelector(\"[id='{id}'] canvas\").focus()"
    ));
    tab.press(&["n"]);
    tab.says(&format!("[id='{id}'] [role=status]"), &[" s: "]);
    tab.press(&["+"]);
    tab.until(&format!("{label} !== {whole} && {label}"));
    let asked = tab.asked();
    assert!(
        asked.iter().all(|one| one.starts_with("file:")),
        "{asked:?}"
    );
    tab.assert_well(&[]);
}

/// What shows without any fault needs none to be tried; as long as nothing hurries it is found on a busy machine.
const PLAIN: &str = "--budget 10m --faults 0";
/// What shows only when something goes wrong.
const FAULTS: &str = "--budget 5m";

macro_rules! bugs {
    ($($(#[$attribute:meta])* $test:ident: $bug:literal in $line:ident is $classes:expr, $object:literal;)*) => {
        $(#[test] $(#[$attribute])* fn $test() { drop(finds(&program(), $bug, $line, &$classes, $object)); })*
    };
}

bugs! {
    #[ignore = "for the nights"] no_way_down: "no-scale-down" in PLAIN is ["not-removed"], "pod/merino";
    #[ignore = "for the nights"] a_field_looked_at_once: "blind-field" in PLAIN is ["not-updated", "not-corrected"], "configmap/merino-song";
    #[ignore = "for the nights"] a_field_never_looked_at: "unread-field" in PLAIN is ["field-without-effect"], "spec.song";
    #[ignore = "for the nights"] work_for_the_deleted: "ignores-deletion" in PLAIN is ["work-on-deleted", "stuck-deletion"], "";
    #[ignore = "for the nights"] somebody_elses: "adopts" in PLAIN is ["adopted"], "";
    #[ignore = "for the nights"] against_the_defaults: "fights-defaults" in PLAIN is ["hot-loop"], "services";
    #[ignore = "for the nights"] never_out_of_trouble: "stuck-after-error" in PLAIN is ["not-recovered", "wrong-status", "not-updated"], "";
    #[ignore = "for the nights"] a_panic: "panics" in PLAIN is ["panic"], "operator";
    #[ignore = "for the nights"] without_the_right: "forbidden" in PLAIN is ["forbidden"], "list nodes";
    #[ignore = "for the nights"] not_a_word: "silent-refusal" in PLAIN is ["silent-refusal"], "merino-song";
    #[ignore = "for the nights"] left_behind: "leftover" in PLAIN is ["leftover"], "configmap/merino-record";
    #[ignore = "for the nights"] never_let_go: "stuck-deletion" in PLAIN is ["stuck-deletion"], "flock/merino";
    #[ignore = "for the nights"] never_made_again: "not-restored" in PLAIN is ["not-restored"], "pod/merino";
    #[ignore = "for the nights"] the_finalizer_first: "finalizer-first" in FAULTS is ["leftover"], "configmap/merino-record";
    #[ignore = "for the nights"] the_status_first: "status-first" in FAULTS is ["missing", "not-restored", "not-updated"], "";
    #[ignore = "for the nights"] half_of_it: "half-done" in FAULTS is ["missing", "not-restored"], "configmap/merino-note";
    #[ignore = "for the nights"] an_old_cache_deletes: "stale-delete" in FAULTS is ["deleted-twice"], "configmaps";
    #[ignore = "for the nights"] two_leaders: "random-names" in FAULTS is ["created-twice"], "pods";
    #[ignore = "for the nights"] an_old_cache_creates: "counts-in-cache" in FAULTS is ["created-twice"], "pods";
}

/// This one in every run of the tests. The story that somebody wrote about it shows it, too, and is the first that does.
#[test]
fn what_the_spec_no_longer_asks_for() {
    let note = "configmap/merino-note";
    let found = finds(&program(), "never-removes", PLAIN, &["not-removed"], note);
    assert_eq!(found["scenario"], "a-note", "{found}");
}

#[test]
#[ignore = "for the nights"]
fn an_operator_in_go() {
    let place = tempfile::tempdir().unwrap();
    let program = place.path().join("flock");
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench/go-peer/go.mod");
    let built = run(Command::new("go")
        .args(["build", "-modfile"])
        .arg(modules)
        .arg("-o")
        .arg(&program)
        .env("CGO_ENABLED", "0")
        .current_dir(flock().with_file_name("flock-go")));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let note = "configmap/merino-note";
    finds(&program, "never-removes", PLAIN, &["not-removed"], note);
    finds(
        &program,
        "counts-in-cache",
        FAULTS,
        &["created-twice"],
        "pods",
    );
}

#[test]
#[ignore = "for the nights"]
fn the_right_way_is_found_right() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for seed in 1..=3 {
        let sandbox = Sandbox::new();
        let ran = torture(&sandbox, &program(), &format!("--seed {seed}"), &[]);
        assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
        let report = report(&sandbox);
        assert_eq!(report["findings"], serde_json::json!([]));
        assert!(report["faults"]["tried"].as_u64().unwrap() > 0, "{report}");
        sandbox.assert_no_processes();
    }
}

/// Whatever ends `rustop torture`, nothing of it goes on; Ctrl-C leaves the report of what was done.
#[test]
fn nothing_outlives_the_command() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let sandbox = Sandbox::new();
    for (signal, code) in [(Signal::INT, Some(130)), (Signal::KILL, None)] {
        let mut rustop = command(&sandbox, &program(), "--seed 1 --budget 40s", &[])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Kept until the end: who cannot say anything any more ends in another way.
        let lines = BufReader::new(rustop.stderr.take().unwrap()).lines();
        let mut lines = lines.map_while(Result::ok);
        let awaited = if code.is_some() {
            "Torturing"
        } else {
            "Learning"
        };
        let told = lines.any(|line| line.contains(awaited));
        assert!(told, "{awaited} is never said");
        kill(rustop.id(), signal);
        assert_eq!(rustop.wait().unwrap().code(), code);
        sandbox.assert_no_processes();
    }
    assert_eq!(report(&sandbox)["interrupted"], true);

    // What is on the disk of a run that was killed goes with the next one.
    let ran = torture(&sandbox, &program(), "", &["--bug", "no-such-bug"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let clusters = fs::read_dir(sandbox.state().join("clusters")).unwrap();
    for cluster in clusters.flatten() {
        let scratch = cluster.path().join("torture");
        assert!(!scratch.exists(), "{}", scratch.display());
    }
}

/// What keeps an operator from being tortured is said with what to do, and with exit code 2.
#[test]
fn what_cannot_be_tortured_is_told_why() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let sandbox = Sandbox::new();
    let ran = torture(&sandbox, &program(), "", &["--bug", "no-such-bug"]);
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

    let stories = sandbox.path().join("stories");
    fs::create_dir(&stories).unwrap();
    fs::write(stories.join("story.yaml"), "steps:\n- set: {}\n").unwrap();
    let asked = format!(
        "torture --crds {0}/crds --samples {0}/samples --scenarios {1}",
        flock().display(),
        stories.display()
    );
    let ran = run(sandbox.rustop(&asked).arg("--").arg(program()));
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("story.yaml") && ran.stderr.contains("`create: {}`"),
        "{}",
        ran.stderr
    );

    let ran = run(&mut sandbox.rustop(&format!("{line} --replay nothing -- true")));
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("there is no finding `nothing`"),
        "{}",
        ran.stderr
    );

    // Of a project that does not build there is no verdict either.
    let broken = sandbox.path().join("broken");
    fs::create_dir(&broken).unwrap();
    fs::write(broken.join("PROJECT"), "no project").unwrap();
    let ran = run(sandbox.rustop("torture").current_dir(&broken));
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("PROJECT"), "{}", ran.stderr);

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
