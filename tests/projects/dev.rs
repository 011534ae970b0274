//! `rustop dev` and `rustop rbac report` on the real control plane.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use crate::page::wait_for_event;
use crate::story::{cluster_of, command, in_project, replay, turn};
use crate::support::{Sandbox, assert_private, files, kill, run, until};

#[test]
fn the_sample_is_ready_and_nothing_is_forbidden() {
    let _turn = turn("lolcow");
    let sandbox = Sandbox::new();
    let dir = replay("lolcow");
    let ran = in_project(&sandbox, &dir, "dev --once --timeout 120s");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("Ready lolcow.my.domain/lolcow-sample Ready=True"),
        "{}",
        ran.stderr
    );
    // What rustop itself has put into the skeleton is not for the user to justify.
    assert!(!ran.stderr.contains("not used so far"), "{}", ran.stderr);
    let report = in_project(&sandbox, &dir, "rbac report --check");
    assert_eq!(report.code, Some(0), "{}", report.stdout);
    assert_eq!(
        report.stdout,
        "no request was forbidden, and all permissions were used\n"
    );
    sandbox.assert_no_processes();
}

/// On a cluster that ran before, the sample of the earlier run is created again each time.
#[test]
fn a_verdict_on_a_running_cluster_is_the_same_every_time() {
    let _turn = turn("lolcow");
    let sandbox = Sandbox::new();
    let dir = replay("lolcow");
    let started = in_project(&sandbox, &dir, "cluster start");
    assert_eq!(started.code, Some(0), "{}", started.stderr);
    let name = cluster_of(&sandbox, &dir)["name"].clone();
    let mut seen = Vec::new();
    for run in 0..3 {
        let ran = in_project(&sandbox, &dir, "dev --once --timeout 60s");
        assert_eq!(ran.code, Some(0), "run {run}: {}", ran.stderr);
        assert!(ran.stderr.contains("already"), "{}", ran.stderr);
        let uid =
            "get lolcow lolcow-sample -o jsonpath={.metadata.uid}/{.metadata.deletionTimestamp}";
        let uid = sandbox.kubectl(name.as_str().unwrap(), uid).stdout;
        assert!(uid.len() > 1 && uid.ends_with('/'), "it stays: {uid}");
        assert!(!seen.contains(&uid), "it is another: {uid}");
        seen.push(uid);
    }
    // A sample with a foreign finalizer is waited for, and reported with that finalizer.
    let stuck = "patch lolcow lolcow-sample --type=merge -p={\"metadata\":{\"finalizers\":[\"my.domain/stuck\"]}}";
    assert_eq!(sandbox.kubectl(name.as_str().unwrap(), stuck).code, Some(0));
    let ran = in_project(&sandbox, &dir, "dev --once --timeout 5s");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let why = "lolcow.my.domain/lolcow-sample is being deleted and waits for my.domain/stuck";
    assert!(ran.stderr.contains(why), "{}", ran.stderr);
    assert!(!ran.stderr.contains("not used so far"), "{}", ran.stderr);
}

/// The API server's message is shown once and unchanged.
#[test]
fn a_sample_that_is_refused_is_told_once() {
    let _turn = turn("watched");
    let sandbox = Sandbox::new();
    let dir = replay("watched");
    let sample = dir.join("config/samples/v1alpha1_lolcow.yaml");
    let text = fs::read_to_string(&sample).unwrap();
    let (head, _) = text.split_once("spec:").unwrap();
    fs::write(&sample, format!("{head}spec: {{message: [1]}}\n")).unwrap();
    let ran = in_project(&sandbox, &dir, "dev --once --timeout 20s");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let refusal = "spec.message";
    assert_eq!(ran.stderr.matches(refusal).count(), 1, "{}", ran.stderr);
    assert!(!ran.stderr.contains("Status {"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("not used so far"), "{}", ran.stderr);
    sandbox.assert_no_processes();
}

/// One at a time works on a project, and another directory is another project.
#[test]
fn a_second_one_names_the_first_and_leaves_it_alone() {
    let _turn = turn("lolcow");
    let sandbox = Sandbox::new();
    let dir = replay("lolcow");
    let mut dev = Dev::start(&sandbox, &dir, &[]);
    let before = operators(&sandbox);
    for line in [
        "dev",
        "dev --once",
        "dev --kubeconfig /nowhere",
        "cluster delete",
    ] {
        let ran = in_project(&sandbox, &dir.join("src"), line);
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        let pid = format!("`kill {}`", dev.child.id());
        assert!(ran.stderr.contains(&pid), "{line}: {}", ran.stderr);
    }
    let copy = sandbox.path().join("lolcow");
    fs::create_dir(&copy).unwrap();
    fs::copy(dir.join("PROJECT"), copy.join("PROJECT")).unwrap();
    let other = in_project(&sandbox, &copy, "cluster kubeconfig");
    assert!(other.stderr.contains("is not running"), "{}", other.stderr);
    let own = in_project(&sandbox, &dir.join("src"), "cluster kubeconfig");
    assert_eq!(own.code, Some(0), "{}", own.stderr);
    assert!(Path::new(own.stdout.trim()).is_file(), "{}", own.stdout);
    assert_eq!(operators(&sandbox), before);
    assert_eq!(dev.end(Signal::INT), Some(0), "{}", dev.said());
    sandbox.assert_no_processes();
}

/// The operators that run, by their processes.
fn operators(sandbox: &Sandbox) -> Vec<(u32, String)> {
    let mut found = sandbox.processes();
    found.retain(|(_, line)| line.contains("debug/lolcow-operator"));
    found
}

/// An operator that makes Deployments and may not: the report has the lines that are missing, and
/// with them it works.
#[test]
fn the_report_names_the_markers_that_are_missing() {
    let _turn = turn("deployments");
    let sandbox = Sandbox::new();
    let dir = replay("deployments");
    let controller = dir.join("src/controllers/lolcow.rs");
    let source = include_str!("deployments.rs");
    fs::write(&controller, source).unwrap();

    let ran = in_project(&sandbox, &dir, "dev --once --timeout 20s");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("add to src/controllers/lolcow.rs:"),
        "{}",
        ran.stderr
    );
    let report = in_project(&sandbox, &dir, "rbac report --check");
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
    let ran = in_project(&sandbox, &dir, "dev --once --timeout 60s");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let report = in_project(&sandbox, &dir, "rbac report --check");
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
        Self::until_ready(sandbox, dir, arguments, "lolcow.my.domain/lolcow-sample")
    }

    /// Starts it and waits for the sample called `sample`.
    pub fn until_ready(sandbox: &Sandbox, dir: &Path, arguments: &[&str], sample: &str) -> Self {
        let mut dev = Self::begin(sandbox, dir, arguments);
        dev.says(&format!("Ready {sample}"));
        dev
    }

    /// Starts `rustop dev`, and waits until its output contains a text.
    pub fn says_first(sandbox: &Sandbox, dir: &Path, text: &str) -> Self {
        let mut dev = Self::begin(sandbox, dir, &[]);
        dev.says(text);
        dev
    }

    fn begin(sandbox: &Sandbox, dir: &Path, arguments: &[&str]) -> Self {
        let log = sandbox.path().join("log");
        let mut command = command(dir, "rustop");
        command
            .arg("dev")
            .args(arguments)
            .env("RUSTOP_STATE", sandbox.state())
            .env("TMPDIR", temporary(sandbox))
            .stdin(Stdio::null())
            .stderr(fs::File::create(&log).unwrap());
        let child = command.spawn().unwrap();
        Self { child, log }
    }

    /// Waits until the output contains a text.
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

/// The temporary directory of a `rustop dev`, which other users would share.
fn temporary(sandbox: &Sandbox) -> PathBuf {
    let dir = sandbox.path().join("tmp");
    fs::create_dir_all(&dir).unwrap();
    dir
}

/// The directories in which runs of rustop have their secrets.
fn run_dirs(sandbox: &Sandbox) -> Vec<PathBuf> {
    let entries = fs::read_dir(sandbox.state().join("run")).into_iter();
    entries.flatten().map(|it| it.unwrap().path()).collect()
}

/// A stolen copy of the kubeconfig of the operator that runs.
fn steal(sandbox: &Sandbox) -> PathBuf {
    let dirs = run_dirs(sandbox);
    let [dir] = &dirs[..] else {
        panic!("one run: {dirs:?}")
    };
    let text = fs::read_to_string(dir.join("kubeconfig")).unwrap();
    let mut config: serde_json::Value = serde_json::from_str(&text).unwrap();
    let token = fs::read_to_string(dir.join("token")).unwrap();
    config["users"][0]["user"] = serde_json::json!({ "token": token });
    let copy = sandbox.path().join("stolen");
    fs::write(&copy, config.to_string()).unwrap();
    copy
}

/// The cluster continues to run after `rustop dev`, like one of another user.
#[test]
fn no_other_user_reads_the_token_and_it_ends_with_the_run() {
    let _turn = turn("lolcow");
    let sandbox = Sandbox::new();
    let dir = replay("lolcow");
    let started = in_project(&sandbox, &dir, "cluster start");
    assert_eq!(started.code, Some(0), "{}", started.stderr);
    let status = cluster_of(&sandbox, &dir);
    let kubectl = Path::new(status["assets"].as_str().unwrap()).join("kubectl");
    let admin = status["kubeconfig"].as_str().unwrap();
    for (arguments, signal) in [
        (vec![], Signal::INT),
        (vec!["--kubeconfig", admin], Signal::INT),
        (vec!["--kubeconfig", admin], Signal::KILL),
    ] {
        let mut dev = Dev::start(&sandbox, &dir, &arguments);
        assert_private(&sandbox.state());
        let shared = files(temporary(&sandbox));
        assert_eq!(shared, [""; 0], "in the directory that all users share");
        let stolen = steal(&sandbox);
        let whoami = || {
            let mut command = Command::new(&kubectl);
            run(command
                .args(["auth", "whoami"])
                .env("KUBECONFIG", &stolen)
                .env("HOME", sandbox.path()))
        };
        let before = whoami();
        assert!(
            before.stdout.contains("lolcow-operator"),
            "{}",
            before.stderr
        );
        dev.end(signal);
        until("the token is rejected", Duration::from_secs(30), || {
            whoami().stderr.contains("Unauthorized")
                || whoami().stderr.contains("provide credentials")
        });
        until("its secrets are gone", Duration::from_secs(10), || {
            run_dirs(&sandbox).is_empty()
        });
        let name = status["name"].as_str().unwrap();
        let left = sandbox.kubectl(name, "get secrets -A -o name").stdout;
        assert!(!left.contains("rustop-dev"), "{left}");
    }
    let deleted = in_project(&sandbox, &dir, "cluster delete");
    assert_eq!(deleted.code, Some(0), "{}", deleted.stderr);
    sandbox.assert_no_processes();
}

#[test]
fn ctrl_c_stops_everything_in_order() {
    let _turn = turn("lolcow");
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
fn what_a_killed_one_leaves_ends_and_its_data_stays() {
    let _turn = turn("lolcow");
    let sandbox = Sandbox::new();
    let dir = replay("lolcow");
    let mut dev = Dev::start(&sandbox, &dir, &[]);
    dev.end(Signal::KILL);
    sandbox.assert_no_processes();
    let left = cluster_of(&sandbox, &dir);
    assert_eq!(left["running"], false);
    assert!(left["size"].as_u64().unwrap() > 1_000_000, "{left}");

    // If the janitor is killed, too, the next run cleans up.
    let mut dev = Dev::start(&sandbox, &dir, &[]);
    let processes = sandbox.processes().into_iter();
    let mut janitors = processes.filter(|(_, line)| line.contains("janitor"));
    kill(janitors.next().unwrap().0, Signal::KILL);
    dev.end(Signal::KILL);
    assert_eq!(operators(&sandbox).len(), 1);
    let next = sandbox.ok("cluster start --no-controllers");
    let name = left["name"].as_str().unwrap();
    let told = format!("Stopped cluster `{name}`, which a `rustop dev` that was killed left");
    assert!(next.stderr.contains(&told), "{}", next.stderr);
    assert_eq!(operators(&sandbox), []);
    assert_eq!(cluster_of(&sandbox, &dir)["running"], false);

    sandbox.ok("cluster delete --stopped");
    let all = sandbox.ok("cluster status --all").stdout;
    assert!(all.contains("default") && !all.contains(name), "{all}");
    sandbox.ok("cluster delete");
    sandbox.assert_no_processes();
}

/// A cluster that `rustop dev` did not start continues to run; the operator does not.
#[test]
fn a_killed_one_ends_no_cluster_that_it_did_not_start() {
    let _turn = turn("lolcow");
    let sandbox = Sandbox::new();
    let dir = replay("lolcow");
    let started = in_project(&sandbox, &dir, "cluster start");
    assert_eq!(started.code, Some(0), "{}", started.stderr);
    let mut dev = Dev::start(&sandbox, &dir, &[]);
    dev.end(Signal::KILL);
    until("the operator ends", Duration::from_secs(20), || {
        operators(&sandbox).is_empty()
    });
    assert_eq!(cluster_of(&sandbox, &dir)["running"], true);
    let deleted = in_project(&sandbox, &dir, "cluster delete");
    assert_eq!(deleted.code, Some(0), "{}", deleted.stderr);
    sandbox.assert_no_processes();
}

#[test]
fn a_change_of_the_sources_starts_the_operator_again() {
    let _turn = turn("watched");
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
    dev.says("--> src/controllers/lolcow.rs:1");
    let failed = wait_for_event(&dev.said(), |told| told["process"]["state"] == "failed");
    let says = failed["process"]["says"].as_str().unwrap();
    assert!(says.contains("--> src/controllers/lolcow.rs:1"), "{says}");
    assert!(!says.contains('\u{1b}'), "{says}");
    assert_eq!(dev.end(Signal::INT), Some(0), "{}", dev.said());
    sandbox.assert_no_processes();
}
