//! `rustop torture` on operators with one planted bug each, after the classes that are known of
//! real ones: it has to find each, name it rightly, and show it again. It knows nothing of them but
//! their CRD, sample and roles.
//!
//! `cargo test` tries one of them, what keeps an operator from being tortured, and what ends it;
//! `.ci/nightly` the others, those in Go and the one that is right.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../support/browser/mod.rs"]
mod browser;
#[path = "../operators/cloud-instance/cloud.rs"]
#[allow(dead_code, reason = "it can do more than is needed here")]
mod cloud;
mod input;
mod projects;
mod seeds;
mod shadow;
#[path = "../support/story.rs"]
mod story;
#[path = "../support/mod.rs"]
mod support;
mod upgrade;

use std::collections::BTreeSet;
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

/// Returns the directory of the operator of most tests.
fn flock() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/torture/flock")
}

/// Returns the directory of a program, which has the same name.
fn home(program: &Path) -> PathBuf {
    let named = flock().with_file_name(program.file_name().unwrap());
    if named.is_dir() { named } else { flock() }
}

/// Returns an example program that cargo builds with the tests.
fn example(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let target = tests.parent().and_then(Path::parent).unwrap();
    let program = target.join("examples").join(name);
    assert!(
        program.exists(),
        "with `--test` cargo builds no examples: cargo build --example {name}"
    );
    program
}

fn program() -> PathBuf {
    example("flock")
}

/// `rustop torture` with the words of `line` for a program with the arguments `more`.
fn command(sandbox: &Sandbox, program: &Path, line: &str, more: &[&str]) -> Command {
    let mut command = sandbox.rustop(&format!("torture {line}"));
    for what in ["crds", "samples", "rbac", "scenarios"] {
        command
            .arg(format!("--{what}"))
            .arg(home(program).join(what));
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

/// Finds a bug with the words of `line`, and shows it again: of so many times all but one of ten.
fn finds(
    program: &Path,
    (bug, line): (&str, &str),
    (classes, object): (&[&str], &str),
    times: u32,
) -> Value {
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
    let line = format!("--replay {id} --times {times}");
    let again = torture(&sandbox, program, &line, &["--bug", bug]);
    let of_all = format!(" of {times} times");
    let shown = again.stderr.lines().rev().find_map(|line| {
        let count = line.trim().strip_prefix("Shown ")?.strip_suffix(&of_all)?;
        count.parse::<u32>().ok()
    });
    let enough = shown.is_some_and(|shown| shown * 10 >= times * 9);
    assert!(
        again.code == Some(1) && enough,
        "{id}: {}\n{}",
        again.stdout,
        again.stderr
    );
    let tried = &report["faults"]["tried"];
    progress(&format!(
        "{bug}: {id} after {tried} faults, shown again {shown:?}{of_all}"
    ));
    sandbox.assert_no_processes();
    named.clone()
}

/// The page of the report, as a browser shows it: what was found, and a timeline of it that can be
/// worked with.
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

/// The flags for bugs that show without any fault. The budget is large, since a busy machine is
/// slow.
const PLAIN: &str = "--budget 10m --faults 0";
/// The flags for bugs that need faults: the number that an idle machine injects in five minutes,
/// with time for a slower one.
const FAULTS: &str = "--budget 20m --faults 120";
/// The number of times that each finding is replayed at night.
const NIGHTLY: u32 = 10;

macro_rules! bugs {
    ($program:literal: $($test:ident: $bug:literal in $line:ident is $classes:expr, $object:literal;)*) => {
        $(#[test] #[ignore = "for the nights"] fn $test() {
            finds(&example($program), ($bug, $line), (&$classes, $object), NIGHTLY);
        })*
    };
}

bugs! {
    "flock":
    no_way_down: "no-scale-down" in PLAIN is ["not-removed"], "pod/merino";
    a_field_looked_at_once: "blind-field" in PLAIN is ["not-updated", "not-corrected"], "configmap/merino-song";
    a_field_never_looked_at: "unread-field" in PLAIN is ["field-without-effect"], "spec.song";
    work_for_the_deleted: "ignores-deletion" in PLAIN is ["work-on-deleted", "stuck-deletion"], "";
    somebody_elses: "adopts" in PLAIN is ["adopted"], "";
    against_the_defaults: "fights-defaults" in PLAIN is ["hot-loop"], "services";
    never_out_of_trouble: "stuck-after-error" in PLAIN is ["not-recovered", "wrong-status", "not-updated"], "";
    a_panic: "panics" in PLAIN is ["panic"], "operator";
    without_the_right: "forbidden" in PLAIN is ["forbidden"], "list nodes";
    not_a_word: "silent-refusal" in PLAIN is ["silent-refusal"], "merino-song";
    left_behind: "leftover" in PLAIN is ["leftover"], "configmap/merino-record";
    never_let_go: "stuck-deletion" in PLAIN is ["stuck-deletion"], "flock/merino";
    never_made_again: "not-restored" in PLAIN is ["not-restored"], "pod/merino";
    the_finalizer_first: "finalizer-first" in FAULTS is ["leftover"], "configmap/merino-record";
    the_status_first: "status-first" in FAULTS is ["missing", "not-restored", "not-updated"], "";
    half_of_it: "half-done" in FAULTS is ["missing", "not-restored"], "configmap/merino-note";
    an_old_cache_deletes: "stale-delete" in FAULTS is ["deleted-twice"], "configmaps";
    two_leaders: "random-names" in FAULTS is ["created-twice"], "pods";
    an_old_cache_creates: "counts-in-cache" in FAULTS is ["created-twice"], "pods";
}

bugs! {
    "coop":
    tags_that_stick: "sticky-tags" in PLAIN is ["not-updated", "not-recovered"], "configmap/leghorn-tags";
    everybodys_ledger: "everybodys-ledger" in PLAIN is ["adopted"], "";
    whoever_holds_it: "clears-finalizers" in PLAIN is ["foreign-finalizer"], "coop/leghorn";
    the_nests_of_others: "counts-strangers" in PLAIN is ["adopted"], "secret/leghorn-nest";
    the_ledgers_of_namesakes: "ledgers-by-prefix" in PLAIN is ["missing"], "configmap/leghorn-other-ledger";
    too_long_a_day: "overflow" in PLAIN is ["panic"], "operator";
    what_it_was_before: "writes-back" in FAULTS is ["not-updated"], "coop/leghorn";
    no_feed_any_more: "feed-gap" in FAULTS is ["missing", "not-restored"], "configmap/leghorn-feed";
    nests_by_memory: "nests-by-memory" in FAULTS is ["too-many", "not-removed"], "secret/leghorn-nest";
}

/// This test is part of every run of the suite. The custom scenario about the bug shows it first.
#[test]
fn what_the_spec_no_longer_asks_for() {
    let note = "configmap/merino-note";
    let bug = ("never-removes", PLAIN);
    let found = finds(&program(), bug, (&["not-removed"], note), 2);
    assert_eq!(found["scenario"], "a-note", "{found}");
}

/// Builds the Go program in `source`, with the modules of `tests/bench/go-peer`.
fn build_go(source: &Path, program: &Path) {
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench/go-peer/go.mod");
    let built = run(Command::new("go")
        .args(["build", "-modfile"])
        .arg(modules)
        .arg("-o")
        .arg(program)
        .env("CGO_ENABLED", "0")
        .current_dir(source));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
}

#[test]
#[ignore = "for the nights"]
fn an_operator_in_go() {
    let place = tempfile::tempdir().unwrap();
    let program = place.path().join("flock");
    build_go(&flock().with_file_name("flock-go"), &program);
    let note = "configmap/merino-note";
    let named: (&[&str], &str) = (&["not-removed"], note);
    finds(&program, ("never-removes", PLAIN), named, NIGHTLY);
    let named: (&[&str], &str) = (&["created-twice"], "pods");
    finds(&program, ("counts-in-cache", FAULTS), named, NIGHTLY);
}

#[test]
#[ignore = "for the nights"]
fn the_right_way_is_found_right() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let polls: &[&str] = &["--polls"];
    for ((program, more), seed) in [("flock", &[][..]), ("coop", &[]), ("coop", polls)]
        .into_iter()
        .flat_map(|it| (1..=3).map(move |seed| (it, seed)))
    {
        let sandbox = Sandbox::new();
        let line = format!("--seed {seed}");
        let ran = torture(&sandbox, &example(program), &line, more);
        assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
        let report = report(&sandbox);
        assert_eq!(report["findings"], serde_json::json!([]));
        assert!(report["faults"]["tried"].as_u64().unwrap() > 0, "{report}");
        sandbox.assert_no_processes();
    }
}

/// An operator that tries again after 30 s is slow, but right.
#[test]
#[ignore = "for the nights"]
fn a_late_retry_is_observed() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    progress("tortures an operator that tries again after 30 s");
    let sandbox = Sandbox::new();
    let line = "--seed 1 --budget 20m --faults 60";
    let ran = torture(&sandbox, &example("coop"), line, &["--late"]);
    assert_eq!(ran.code, Some(1), "{}\n{}", ran.stdout, ran.stderr);
    let report = report(&sandbox);
    for finding in report["findings"].as_array().unwrap() {
        let seconds = finding["retry"]["seconds"].as_u64();
        assert!(seconds.is_some_and(|it| (29..40).contains(&it)), "{report}");
        assert_ne!(finding["lasting"], true, "{report}");
        assert_ne!(finding["retry"]["fixes"], false, "{report}");
    }
    let says = " after 20 s; its retry after ";
    assert!(ran.stdout.contains(says), "{}", ran.stdout);
    sandbox.assert_no_processes();
}

/// An operator of a cluster-scoped kind sees the whole cluster, and so does torture: what neither
/// of them has written is still there afterwards, or the next run could not begin. Two faults are
/// too few for a verdict, since the operator has three kinds of write.
#[test]
fn a_cluster_scoped_operator_leaves_the_cluster_as_it_was() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    progress("tortures an operator of a cluster-scoped kind");
    let sandbox = Sandbox::new();
    let line = "--seed 1 --budget 4m --faults 2 --keep";
    let ran = torture(&sandbox, &example("ranch"), line, &[]);
    let report = report(&sandbox);
    assert_eq!(report["findings"], serde_json::json!([]), "{}", ran.stderr);
    assert_eq!(report["faults"]["tried"], 2, "{}", ran.stderr);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert_eq!(report["inconclusive"], true, "{}", ran.stderr);
    assert_eq!(report["coverage"]["writes"]["of"], 3, "{report}");
    let mut last = ran.stderr.lines().rev();
    let verdict = last.next().unwrap();
    let little = "Inconclusive 0 findings, but less was tested than a verdict needs (10 % of the scenarios, 80 % of the kinds of write)";
    assert!(verdict.trim_start().starts_with(little), "{verdict}");
    let help = last.next().unwrap();
    assert!(help.starts_with("help: rustop torture "), "{help}");
    assert!(
        !help.contains("--faults") && help.contains(" --keep "),
        "{help}"
    );
    let left = &report["coverage"]["scenarios"]["left"];
    assert!(!left.to_string().contains(": life\""), "{report}");
    sandbox.assert_no_processes();
    let kept = sandbox.ok("cluster status --all --output json").stdout;
    let kept: Vec<Value> = serde_json::from_str(&kept).unwrap();
    let after = cluster_wide(&sandbox, kept[0]["name"].as_str().unwrap());
    let mut expected = cluster_wide(&sandbox, "fresh");
    expected.extend(OF_RANCHER.map(str::to_owned));
    assert_eq!(after, expected);
}

/// The cluster-scoped objects with which the operator is installed, as `kubectl get -o name` prints
/// them.
const OF_RANCHER: [&str; 3] = [
    "clusterrole.rbac.authorization.k8s.io/rancher",
    "clusterrolebinding.rbac.authorization.k8s.io/rancher",
    "customresourcedefinition.apiextensions.k8s.io/ranches.bugs.example.com",
];

/// Starts a cluster, and returns the names of its roles, of their bindings and of its CRDs.
fn cluster_wide(sandbox: &Sandbox, name: &str) -> BTreeSet<String> {
    sandbox.ok(&format!("cluster start --no-controllers --name {name}"));
    let ran = sandbox.kubectl(name, "get clusterroles,clusterrolebindings,crds -o name");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    sandbox.ok(&format!("cluster stop --name {name}"));
    ran.stdout.lines().map(str::to_owned).collect()
}

/// However `rustop torture` ends, no process of it remains; Ctrl-C leaves a report of the completed
/// part.
#[test]
fn nothing_outlives_the_command() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let sandbox = Sandbox::new();
    for (signal, code) in [(Signal::INT, Some(130)), (Signal::KILL, None)] {
        let mut rustop = command(&sandbox, &program(), "--seed 1 --budget 40s", &[])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Read until the end: a program whose stderr is closed would end in another way.
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

    // The next run removes the files of a killed one.
    let ran = torture(&sandbox, &program(), "", &["--bug", "no-such-bug"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let clusters = || {
        let all = sandbox.ok("cluster status --all --output json").stdout;
        serde_json::from_str::<Vec<Value>>(&all).unwrap().len()
    };
    assert_eq!(clusters(), 0, "its data goes with it");
    let ran = torture(&sandbox, &program(), "--keep", &["--bug", "no-such-bug"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert_eq!(clusters(), 1);
}
