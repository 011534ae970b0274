//! `rustop dev` and `rustop rbac report` on the real control plane.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use crate::story::{alone, command, replay};
use crate::support::{Ran, Sandbox, kill, run, until};

fn rustop(sandbox: &Sandbox, dir: &Path, line: &str) -> Ran {
    let mut command = command(dir, "rustop");
    run(command
        .args(line.split(' '))
        .env("RUSTOP_STATE", sandbox.state()))
}

#[test]
fn the_sample_is_ready_and_nothing_is_forbidden() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let dir = replay("lolcow");
    let ran = rustop(&sandbox, &dir, "dev --once --timeout 120s");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("Ready lolcow/lolcow-sample Ready=True"),
        "{}",
        ran.stderr
    );
    let report = rustop(&sandbox, &dir, "rbac report --check");
    assert_eq!(report.code, Some(0), "{}", report.stdout);
    assert!(!report.stdout.contains("forbidden:"), "{}", report.stdout);
    sandbox.assert_no_processes();
}

/// An operator that makes Deployments and may not: the report has the lines that are missing, and with
/// them it works.
#[test]
fn the_report_names_the_markers_that_are_missing() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let dir = replay("deployments");
    let controller = dir.join("src/controllers/lolcow.rs");
    let source = include_str!("deployments.rs");
    fs::write(&controller, source).unwrap();

    let ran = rustop(&sandbox, &dir, "dev --once --timeout 20s");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("add to src/controllers/lolcow.rs:"),
        "{}",
        ran.stderr
    );
    let report = rustop(&sandbox, &dir, "rbac report --check");
    assert_eq!(report.code, Some(1));
    let markers = report.stdout.split("granted and").next().unwrap();
    let markers: Vec<_> = markers
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .collect();
    assert_eq!(
        markers,
        [
            "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch"
        ]
    );
    assert!(ran.stderr.contains(markers[0]), "{}", ran.stderr);

    fs::write(&controller, source.replace("// MARKERS", markers[0])).unwrap();
    let ran = rustop(&sandbox, &dir, "dev --once --timeout 60s");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let report = rustop(&sandbox, &dir, "rbac report --check");
    assert_eq!(report.code, Some(0), "{}", report.stdout);
}

/// `rustop dev` in the background, and what it says.
pub struct Dev {
    child: Child,
    log: PathBuf,
}

impl Dev {
    /// Starts it and waits for the sample.
    pub fn start(sandbox: &Sandbox, dir: &Path, arguments: &[&str]) -> Self {
        let log = sandbox.path().join("log");
        let mut command = command(dir, "rustop");
        command
            .arg("dev")
            .args(arguments)
            .env("RUSTOP_STATE", sandbox.state())
            .stdin(Stdio::null())
            .stderr(fs::File::create(&log).unwrap());
        let child = command.spawn().unwrap();
        let mut dev = Self { child, log };
        dev.says("Ready lolcow/lolcow-sample");
        dev
    }

    /// Waits until it has said something.
    fn says(&mut self, text: &str) {
        until(text, Duration::from_secs(600), || {
            let ended = self.child.try_wait().unwrap();
            assert!(
                self.said().contains(text) || ended.is_none(),
                "{}",
                self.said()
            );
            self.said().contains(text)
        });
    }

    pub fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    pub fn end(&mut self, signal: Signal) -> Option<i32> {
        kill(self.child.id(), signal);
        self.child.wait().unwrap().code()
    }
}

#[test]
fn ctrl_c_stops_everything_in_order() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let mut dev = Dev::start(&sandbox, &replay("lolcow"), &[]);
    assert_eq!(dev.end(Signal::INT), Some(0), "{}", dev.said());
    assert!(
        dev.said().contains("Stopping the operator"),
        "{}",
        dev.said()
    );
    assert!(dev.said().contains("Stopping cluster"), "{}", dev.said());
    sandbox.assert_no_processes();
}

#[test]
fn what_a_killed_one_leaves_goes_with_the_cluster() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let dir = replay("lolcow");
    let mut dev = Dev::start(&sandbox, &dir, &[]);
    dev.end(Signal::KILL);
    let operators = || {
        let of_operator = |(_, line): &(u32, String)| line.contains("debug/lolcow-operator");
        sandbox
            .processes()
            .into_iter()
            .filter(of_operator)
            .collect::<Vec<_>>()
    };
    let left = operators();
    assert_eq!(left.len(), 1, "{left:?}");
    // The next one ends it and uses the cluster.
    let mut dev = Dev::start(&sandbox, &dir, &[]);
    assert!(dev.said().contains("Running cluster"), "{}", dev.said());
    let there = operators();
    assert!(
        there.len() == 1 && there != left,
        "{there:?}, and before {left:?}"
    );
    dev.end(Signal::KILL);
    sandbox.ok("cluster stop --name lolcow-operator");
    sandbox.assert_no_processes();
}

#[test]
fn a_change_of_the_sources_starts_the_operator_again() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let dir = replay("watched");
    let mut dev = Dev::start(&sandbox, &dir, &["--watch"]);
    let controller = dir.join("src/controllers/lolcow.rs");
    let source = fs::read_to_string(&controller).unwrap();
    fs::write(&controller, source.replace("\"Reconciled\"", "\"Rebuilt\"")).unwrap();
    dev.says("Restarted");
    dev.says("(Rebuilt:");
    // What does not build leaves the old one running.
    fs::write(&controller, "no Rust").unwrap();
    dev.says("does not build");
    assert_eq!(dev.end(Signal::INT), Some(0), "{}", dev.said());
    sandbox.assert_no_processes();
}
