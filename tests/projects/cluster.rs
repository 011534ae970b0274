//! The manifests and the Makefile of the golden projects, on the real control plane.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use crate::story::{alone, on_cluster, replay};
use crate::support::{Sandbox, kill, run, until};

/// How long the API server and the controllers may take for anything.
const SOON: Duration = Duration::from_secs(60);

/// Runs a line of shell in a project and expects success.
fn sh(sandbox: &Sandbox, dir: &Path, line: &str) -> String {
    let ran = run(on_cluster(sandbox, dir, "sh").args(["-ec", line]));
    assert_eq!(ran.code, Some(0), "{line}\n{}{}", ran.stdout, ran.stderr);
    ran.stdout
}

/// Everything is accepted, by a dry run and for good, and the operator's pods may run in a namespace
/// that enforces the `restricted` Pod Security Standard.
fn accepted(dir: &Path, project: &str) {
    let sandbox = Sandbox::new();
    sandbox.ok("cluster start");
    let sh = |line: &str| sh(&sandbox, dir, line);
    sh("$KUBECTL apply --server-side -k config/crd");
    sh("$KUBECTL wait --for condition=Established --timeout 60s crd --all");
    sh(&format!("$KUBECTL create namespace {project}-system"));
    for dry_run in ["--dry-run=server", ""] {
        sh(&format!(
            "$KUBECTL apply --server-side --force-conflicts {dry_run} -k config/default"
        ));
        sh(&format!(
            "$KUBECTL apply --server-side {dry_run} -k config/samples"
        ));
        // The optional part, which config/default would put into the operator's namespace.
        sh(&format!(
            "$KUBECTL kustomize config/network-policy | sed 's/namespace: system/namespace: {project}-system/' \
             | $KUBECTL apply --server-side {dry_run} -f -"
        ));
    }
    let label = r"{.metadata.labels.pod-security\.kubernetes\.io/enforce}";
    let enforced = sh(&format!(
        "$KUBECTL get namespace {project}-system -o 'jsonpath={label}'"
    ));
    assert_eq!(enforced, "restricted");
    sh(&format!(
        "$KUBECTL -n {project}-system rollout status deployment {project}-controller-manager --timeout 60s"
    ));
}

#[test]
fn lolcow_is_accepted() {
    let _alone = alone();
    accepted(&replay("lolcow"), "lolcow-operator");
}

#[test]
fn fleet_is_accepted() {
    let _alone = alone();
    accepted(&replay("fleet"), "fleet-operator");
}

#[test]
fn namespaced_is_accepted() {
    let _alone = alone();
    accepted(&replay("namespaced"), "namespaced-operator");
}

/// A program in the background and what it says; it ends with the test.
struct Background {
    child: Child,
    log: tempfile::NamedTempFile,
}

impl Background {
    fn make(sandbox: &Sandbox, dir: &Path, target: &str) -> Self {
        let log = tempfile::NamedTempFile::new().unwrap();
        let mut command = on_cluster(sandbox, dir, "make");
        command.arg(target).stdin(Stdio::null());
        command.env("HEALTH_PROBE_BIND_ADDRESS", "0");
        let child = command
            .stdout(log.reopen().unwrap())
            .stderr(log.reopen().unwrap())
            .spawn()
            .unwrap();
        Self { child, log }
    }

    fn says(&self, text: &str) -> bool {
        let mut said = String::new();
        self.log
            .reopen()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        said.contains(text)
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!(
                "{}",
                fs::read_to_string(self.log.path()).unwrap_or_default()
            );
        }
    }
}

/// The operator starts before the CRD is there, says what to do, and goes on once it is done.
#[test]
fn make_run_waits_for_the_crd_and_then_reconciles() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let dir = replay("lolcow");
    sandbox.ok("cluster start --no-controllers");
    let operator = Background::make(&sandbox, &dir, "run");
    until(
        "the operator names the command",
        Duration::from_secs(600),
        || operator.says("make install"),
    );
    sh(&sandbox, &dir, "make install");
    sh(&sandbox, &dir, "$KUBECTL apply -k config/samples");
    sh(
        &sandbox,
        &dir,
        "$KUBECTL wait --for condition=Ready --timeout 60s lolcow/lolcow-sample",
    );
    let columns = sh(&sandbox, &dir, "$KUBECTL get lolcows");
    assert!(
        columns.contains("READY") && columns.contains("True"),
        "{columns}"
    );
    let of_operator = |(_, command): &(u32, String)| {
        command.contains("lolcow-operator") && !command.contains("make")
    };
    let pids: Vec<_> = sandbox
        .processes()
        .into_iter()
        .filter(of_operator)
        .collect();
    assert!(!pids.is_empty(), "{:?}", sandbox.processes());
    for (pid, _) in pids {
        kill(pid, Signal::TERM);
    }
    until("the operator stops", SOON, || {
        operator.says("stopping") && !sandbox.processes().iter().any(of_operator)
    });
}

/// Nothing that holds the user's data goes without being asked for.
#[test]
fn make_takes_away_only_what_is_meant() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let dir = replay("lolcow");
    sandbox.ok("cluster start --no-controllers");
    let sh = |line: &str| sh(&sandbox, &dir, line);
    sh("make deploy IMG=localhost:5000/lolcow:v1");
    let image = "$KUBECTL -n lolcow-operator-system get deploy -o 'jsonpath={.items[*].spec.template.spec.containers[*].image}'";
    assert_eq!(sh(image), "localhost:5000/lolcow:v1");
    sh("$KUBECTL apply -k config/samples");
    sh("make undeploy");
    assert!(sh("$KUBECTL get lolcows -o name").contains("lolcow-sample"));
    elsewhere(&sandbox, &dir);
    let refused = run(on_cluster(&sandbox, &dir, "make").arg("uninstall"));
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stdout.contains("objects: 1") && refused.stderr.contains("CONFIRM=yes"),
        "{refused:?}"
    );
    sh("make uninstall CONFIRM=yes");
    assert_eq!(sh("$KUBECTL get crd -o name"), "");
    sh("make build-installer IMG=example.com/x@sha256:0123");
    assert!(
        fs::read_to_string(dir.join("dist/install.yaml"))
            .unwrap()
            .contains("image: example.com/x@sha256:0123")
    );
    fs::remove_dir_all(dir.join("dist")).unwrap();
}

/// The namespace that is left is the one that `config/default` says.
fn elsewhere(sandbox: &Sandbox, dir: &Path) {
    let other = sandbox.path().join("other");
    fs::create_dir(&other).unwrap();
    sh(
        sandbox,
        dir,
        &format!("cp -r Makefile config {}", other.display()),
    );
    let file = "config/default/kustomization.yaml";
    sh(
        sandbox,
        &other,
        &format!("sed -i 's/^namespace: .*/namespace: other/' {file}"),
    );
    let said = sh(sandbox, &other, "make --silent undeploy");
    assert!(said.contains("delete namespace other\n"), "{said}");
}

/// The generated tests pass on a cluster of their own.
#[test]
fn make_test_passes() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let ran = run(crate::story::command(&replay("lolcow"), "make")
        .arg("test")
        .env("RUSTOP_STATE", sandbox.state()));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("becomes_ready_and_says_so ... ok"),
        "{}",
        ran.stdout
    );
    sandbox.assert_no_processes();
}

/// Those of a kind with two versions, too.
#[test]
fn the_tests_of_a_kind_with_two_versions_pass() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let line = "cluster exec -- cargo test --locked --package webhooks-operator";
    let ran = run(crate::story::command(&replay("webhooks"), "rustop")
        .args(line.split(' '))
        .env("RUSTOP_STATE", sandbox.state()));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    for test in [
        "becomes_ready_and_says_so",
        "nothing_is_lost_between_versions",
    ] {
        assert!(
            ran.stdout.contains(&format!("{test} ... ok")),
            "{}",
            ran.stdout
        );
    }
    sandbox.assert_no_processes();
}
