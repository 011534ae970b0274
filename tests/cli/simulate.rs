//! `rustop simulate` and `rustop create simulation`, with a stand-in for cargo and for the test
//! that it builds.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::dsl::{Place, rustop, words};
use crate::golden::{crds, stand_in};

const FILE: &str = "tests/simulation.rs";

/// A project with a kind, which has a simulation.
fn project() -> Place {
    let place = Place::project();
    place.rustop("create api --kind Cow -q").ok();
    place
}

fn script(place: &Place, name: &str, text: &str) -> PathBuf {
    let path = place.dir().parent().unwrap().join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Returns a cargo that builds a test which writes an event.
fn cargo(place: &Place, event: &Value) -> PathBuf {
    let test = script(
        place,
        "simulation",
        &format!(
            "out=$(printf %s \"$RUSTOP_SIMULATION\" | sed 's/.*\"output\":\"\\([^\"]*\\)\".*/\\1/')
printf %s \"$RUSTOP_SIMULATION\" > order.json
echo '{event}' >> \"$out\""
        ),
    );
    let built = json!({"target": {"name": "simulation", "kind": ["test"]}, "executable": test});
    let cargo = format!("[ \"$1\" = test ] || exit 7\nprintf '%s\\n' '{built}'");
    script(place, "cargo", &cargo)
}

fn finding() -> Value {
    json!({
        "class": "missing", "object": "pods default/a", "message": "pods default/a does not exist",
        "steps": ["create the samples"], "faults": ["create pods, number 1: the connection breaks"],
        "schedule": {"seed": 7, "steps": ["create"]}, "timeline": ["0.1 create pods"],
    })
}

fn finished(covered: usize, findings: &[Value]) -> Value {
    json!({
        "simulation": "histories", "event": "finished",
        "report": {"histories": 40, "covered": covered, "pairs": 10, "seconds": 2.0, "findings": findings},
    })
}

#[test]
fn the_first_controller_adds_a_simulation_that_the_user_may_delete() {
    let place = project();
    let harness = place.read("tests/harness/mod.rs");
    assert!(
        harness.contains("config/samples/v1alpha1_cow.yaml"),
        "{harness}"
    );
    place.remove(FILE);
    place.rustop("create api --kind Ox -q").ok();
    assert!(!place.has(FILE));
    let harness = place.read("tests/harness/mod.rs");
    assert!(
        harness.contains("config/samples/v1alpha1_ox.yaml"),
        "{harness}"
    );
    place
        .rustop("simulate")
        .says(&[
            "this project has no tests/simulation.rs",
            "help: rustop create simulation",
        ])
        .fails(2);
    place.rustop("create simulation -q").ok();
    assert!(place.read(FILE).contains("controllers::register"));
    place
        .rustop("create simulation")
        .says(&["this project has a simulation", "help: rustop simulate"])
        .fails(1);
}

#[test]
fn a_project_without_a_controller_has_no_simulation() {
    let place = Place::project();
    place
        .rustop("create api --kind Cow --no-controller -q")
        .ok();
    assert!(!place.has(FILE) && !place.has("tests/harness/mod.rs"));
    place
        .rustop("create simulation")
        .says(&["no kind of this project has a controller and a sample"])
        .fails(1);
}

#[test]
fn the_test_of_a_kind_simulation_is_not_replaced() {
    let place = Place::project();
    place.rustop("create api --kind Simulation -q").ok();
    let test = place.read(FILE);
    assert!(test.contains("becomes_ready_and_says_so"), "{test}");
    place
        .rustop("create simulation")
        .says(&["tests/simulation.rs is the test of my.domain/v1alpha1 Simulation"])
        .fails(1);
}

#[test]
fn an_adopted_operator_is_not_simulated() {
    let place = Place::empty();
    let config =
        "layout: [rustop.dev/adopted-v1]\nprojectName: shepherd\noperator: {command: [shepherd]}\n";
    place.write("rustop.yaml", config);
    place
        .rustop("simulate")
        .says(&[
            "an adopted operator cannot be simulated",
            "help: rustop torture",
        ])
        .fails(2);
}

#[test]
fn a_replay_file_that_does_not_fit_is_an_error() {
    let place = project();
    let mut stored = finding();
    (stored["operator"], stored["simulation"]) = ("sheep".into(), "histories".into());
    place.write("sheep.json", stored.to_string());
    place
        .rustop("simulate --replay sheep.json")
        .says(&["is a finding of the operator `sheep`, and this project is `lolcow-operator`"])
        .fails(2);
    place.write("half.json", r#"{"operator": "lolcow-operator"}"#);
    place
        .rustop("simulate --replay half.json")
        .says(&["half.json` is not a finding of rustop simulate: missing field"])
        .fails(2);
    place
        .rustop("simulate --replay none.json")
        .says(&["cannot read", "none.json"])
        .fails(2);
}

#[test]
fn a_test_that_does_not_build_is_an_error() {
    let place = project();
    let cargo = script(&place, "cargo", "exit 101");
    place
        .rustop("simulate")
        .env("CARGO", cargo)
        .says(&[
            "the project's `simulation` does not build",
            "help: run `cargo test --test simulation --no-run` for details",
        ])
        .fails(2);
}

#[test]
fn a_finding_is_stored_and_replayed() {
    let place = project();
    let cargo_of = |event: &Value| cargo(&place, event);
    let found = cargo_of(&finished(10, &[finding()]));
    let run = place
        .rustop("simulate --seeds 40 --seed 3")
        .env("CARGO", &found);
    assert_eq!(run.code_of(), Some(1));
    let order: Value = serde_json::from_str(&place.read("order.json")).unwrap();
    assert_eq!(
        (&order["histories"], &order["seed"]),
        (&40.into(), &3.into())
    );
    assert!(order["seconds"].is_null(), "{order}");
    let report: Value = serde_json::from_str(&place.read("target/simulation/report.json")).unwrap();
    let found = &report["simulations"][0]["findings"][0];
    let id = found["id"].as_str().unwrap();
    assert!(id.starts_with("missing-pods-"), "{report}");

    let line = format!("simulate --replay target/simulation/{id}.json");
    let replayed = |findings: &[Value]| {
        json!({
            "simulation": "histories", "event": "replayed",
            "replay": {"findings": findings, "timeline": ["0.1 create pods"], "unused": ["create pods, number 1"]},
        })
    };
    let again = cargo_of(&replayed(&[finding()]));
    let run = place.rustop(&line).env("CARGO", &again);
    assert_eq!(run.code_of(), Some(1));
    let order: Value = serde_json::from_str(&place.read("order.json")).unwrap();
    assert_eq!(order["replay"], finding()["schedule"]);
    let fixed = cargo_of(&replayed(&[]));
    place
        .rustop(&line)
        .env("CARGO", &fixed)
        .stdout("0.1 create pods\n")
        .says(&[
            "the fault at create pods, number 1 was not injected",
            "the history shows no bug",
        ])
        .ok();
    let other = json!({"simulation": "renamed", "event": "started"});
    assert_eq!(
        place.rustop(&line).env("CARGO", cargo_of(&other)).code_of(),
        Some(2)
    );
}

#[test]
fn a_finding_counts_although_it_cannot_be_confirmed() {
    let place = project();
    let cargo = cargo(&place, &finished(10, &[finding()]));
    // The test has no cache, which the control plane needs.
    let run = rustop(place.dir())
        .args(words("simulate --confirm"))
        .env("CARGO", &cargo)
        .output()
        .unwrap();
    let messages = String::from_utf8(run.stderr).unwrap();
    assert!(
        messages.contains("warning: cannot locate the cache"),
        "{messages}"
    );
    assert!(messages.contains("Finished 1 finding"), "{messages}");
    assert_eq!(run.status.code(), Some(1));
    assert!(
        place
            .read("target/simulation/report.json")
            .contains("\"missing\"")
    );
}

#[test]
fn torture_without_options_simulates_first() {
    for (line, seconds) in [("torture", Some(60)), ("torture --seed 3", None)] {
        let place = Place::project();
        place.rustop("create api --kind Lolcow -q").ok();
        let of_test = cargo(&place, &finished(10, &[finding()]));
        let dir = place.dir().parent().unwrap().join("stand-in");
        fs::create_dir(&dir).unwrap();
        let others = stand_in(&dir, &crds("lolcow"));
        let [of_test, others] = [of_test, others].map(|it| it.display().to_string());
        let cargo = script(
            &place,
            "any-cargo",
            &format!("[ \"$1\" = test ] && exec {of_test} \"$@\"\nexec {others} \"$@\""),
        );
        // There is no verdict of torture, since the test has no control plane.
        let run = rustop(place.dir())
            .args(words(line))
            .env("CARGO", &cargo)
            .output()
            .unwrap();
        let messages = String::from_utf8(run.stderr).unwrap();
        let code = if seconds.is_some() { 1 } else { 2 };
        assert_eq!(run.status.code(), Some(code), "{messages}");
        assert_eq!(place.has("order.json"), seconds.is_some(), "{messages}");
        if let Some(seconds) = seconds {
            let order: Value = serde_json::from_str(&place.read("order.json")).unwrap();
            assert_eq!(order["seconds"], seconds);
            assert!(messages.contains("Simulated 1 finding"), "{messages}");
        }
    }
}

#[test]
fn the_exit_code_is_the_verdict() {
    for (covered, code) in [(10, 0), (8, 0), (7, 2)] {
        let place = project();
        let cargo = cargo(&place, &finished(covered, &[]));
        let run = place.rustop("simulate --budget 1s").env("CARGO", &cargo);
        assert_eq!(run.code_of(), Some(code), "{covered} of 10 faults");
    }
}

#[test]
fn a_longer_run_has_the_other_options_of_this_one() {
    let place = project();
    let cargo = cargo(&place, &finished(7, &[]));
    let run = rustop(place.dir())
        .args(words("simulate --seed 3 --budget 1s --out reports"))
        .env("CARGO", &cargo)
        .output()
        .unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    let help = "help: rustop simulate --seed 3 --out reports --budget 60s\n";
    assert!(said.contains(help), "{said}");
}

#[test]
fn a_file_without_a_simulation_is_an_error() {
    let place = project();
    let test = script(&place, "simulation", "true");
    let built = json!({"target": {"name": "simulation", "kind": ["test"]}, "executable": test});
    let cargo = script(&place, "cargo", &format!("printf '%s\\n' '{built}'"));
    place
        .rustop("simulate")
        .env("CARGO", cargo)
        .says(&["no test in tests/simulation.rs runs a simulation"])
        .fails(2);
}

#[test]
#[cfg(target_os = "linux")]
fn the_test_ends_with_rustop() {
    for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
        let place = project();
        let test = script(
            &place,
            "simulation",
            "echo $$ > started.new; mv started.new started; exec sleep 60",
        );
        let built = json!({"target": {"name": "simulation", "kind": ["test"]}, "executable": test});
        let cargo = script(&place, "cargo", &format!("printf '%s\\n' '{built}'"));
        let mut child = rustop(place.dir())
            .arg("simulate")
            .env("CARGO", cargo)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let has_started = within(|| place.has("started"));
        kill_process(Pid::from_child(&child), signal).unwrap();
        child.wait().unwrap();
        assert!(has_started, "{signal:?}");
        // A process that has ended may be left as a zombie.
        let status = format!("/proc/{}/status", place.read("started").trim());
        let has_ended = || {
            fs::read_to_string(&status)
                .ok()
                .is_none_or(|it| it.contains("State:\tZ"))
        };
        assert!(within(has_ended), "{signal:?}: {status}");
    }
}

/// Waits up to 20 s until something is true, and reports whether it is.
#[cfg(target_os = "linux")]
fn within(is_done: impl Fn() -> bool) -> bool {
    let begin = Instant::now();
    while !is_done() && begin.elapsed() < Duration::from_secs(20) {
        thread::sleep(Duration::from_millis(20));
    }
    is_done()
}
