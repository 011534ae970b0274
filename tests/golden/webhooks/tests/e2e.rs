//! End-to-end test: deploys the operator on the cluster of the current kubeconfig. `make test-e2e IMG=...`.
//!
//! `FROM`, the `install.yaml` of an earlier release, is deployed first, and its objects must survive the upgrade. If
//! the operator runs as a process instead of a Pod, `E2E_METRICS` is the URL of its metrics, and `E2E_KILL` is a command that
//! kills the leader.

use std::env;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const NAME: &str = "webhooks-operator";
const NAMESPACE: &str = "webhooks-operator-system";
/// The namespace of the samples.
const PLACE: &str = "default";
const NEVER_READY: &[&str] = &[
    // Kinds without a controller, as kubectl names them.
];
/// Paths in objects.
const UID: &str = "{.metadata.uid}";
const HOLDER: &str = "{.spec.holderIdentity}";
/// The limit for each wait.
const SOON: Duration = Duration::from_secs(180);

#[test]
#[ignore = "deploys the operator on the cluster of the current kubeconfig: make test-e2e"]
fn end_to_end() {
    let before = set("FROM").map(|from| {
        kubectl(&format!(
            "apply --server-side --force-conflicts --filename {from}"
        ));
        rolled_out();
        samples_become_ready();
        uids()
    });
    run(Command::new("make").arg("deploy"));
    rolled_out();
    let enforced = r"jsonpath={.metadata.labels.pod-security\.kubernetes\.io/enforce}";
    let enforced = kubectl(&format!("get namespace {NAMESPACE} --output {enforced}"));
    assert_eq!(enforced, "restricted");
    if let Some(before) = before {
        assert_eq!(uids(), before, "the objects of the earlier release");
    }
    samples_become_ready();
    webhooks_are_trusted();
    metrics_need_permission();
    another_replica_takes_over();
    // The new leader must also remove the finalizers of the samples that the old one reconciled.
    samples_go();
    samples_become_ready();
    samples_go();
}

fn rolled_out() {
    let deployment = format!("deployment/{NAME}-controller-manager");
    kubectl(&format!(
        "--namespace {NAMESPACE} rollout status {deployment} --timeout 180s"
    ));
}

/// Applies the samples and returns their names as kubectl prints them.
fn samples() -> Vec<String> {
    if kubectl("kustomize config/samples").trim().is_empty() {
        return Vec::new();
    }
    let apply = format!("apply --server-side --force-conflicts --namespace {PLACE} --output name");
    // A webhook may not listen yet.
    let names = until("the samples are accepted", || {
        try_kubectl(&format!("{apply} --kustomize config/samples")).ok()
    });
    names.lines().map(str::to_owned).collect()
}

fn samples_become_ready() {
    for sample in samples() {
        let kind = sample.split('/').next().unwrap();
        if !NEVER_READY.contains(&kind) {
            let wait = "wait --for condition=Ready --timeout 180s";
            kubectl(&format!("{wait} --namespace {PLACE} {sample}"));
        }
    }
}

/// Returns the UIDs of the samples, which differ if an object is deleted and recreated.
fn uids() -> Vec<String> {
    let uid = |sample: String| {
        let get = format!("get --namespace {PLACE} {sample}");
        kubectl(&format!("{get} --output jsonpath={UID}"))
    };
    samples().into_iter().map(uid).collect()
}

/// Deletes the samples. Objects with a finalizer wait for the operator.
fn samples_go() {
    if !samples().is_empty() {
        let delete = format!("delete --namespace {PLACE} --timeout 180s");
        kubectl(&format!("{delete} --kustomize config/samples"));
    }
}

fn webhooks_are_trusted() {
    let kinds = "validatingwebhookconfigurations,mutatingwebhookconfigurations";
    let bundles = "jsonpath={range .items[*].webhooks[*]}[{.clientConfig.caBundle}]{end}";
    until("the API server trusts each webhook", || {
        let mut get = command("get");
        get.args([
            kinds,
            "--selector",
            &format!("app.kubernetes.io/name={NAME}"),
        ]);
        let trusted = run(get.args(["--output", bundles]));
        (!trusted.contains("[]")).then_some(())
    });
}

fn metrics_need_permission() {
    let metrics = Metrics::reach();
    let binding = format!("clusterrolebinding {NAME}-e2e");
    kubectl(&format!("delete {binding} --ignore-not-found"));
    assert!(metrics.ask("not-a-token").ends_with("401"));
    let token = kubectl(&format!("create token default --namespace {NAMESPACE}"));
    assert!(metrics.ask(&token).ends_with("403"));
    let role = format!("--clusterrole {NAME}-metrics-reader");
    kubectl(&format!(
        "create {binding} {role} --serviceaccount {NAMESPACE}:default"
    ));
    until("metrics are shown", || {
        let shown = metrics.ask(&token);
        (shown.ends_with("200") && shown.contains("operator_build")).then_some(())
    });
    kubectl(&format!("delete {binding}"));
}

fn another_replica_takes_over() {
    let holder = || {
        let lease = format!("get lease {NAME} --namespace {NAMESPACE}");
        let holder = kubectl(&format!("{lease} --output jsonpath={HOLDER}"));
        (!holder.is_empty()).then_some(holder)
    };
    let killed = until("a replica becomes leader", holder);
    if let Some(kill) = set("E2E_KILL") {
        run(Command::new("sh").args(["-ec", &kill]));
    } else {
        let (pod, _) = killed.split_once('_').unwrap();
        kubectl(&format!(
            "delete pod {pod} --namespace {NAMESPACE} --force --grace-period 0"
        ));
    }
    until("another replica becomes leader", || {
        holder().filter(|now| *now != killed)
    });
}

/// The URL of the metrics, and the `kubectl port-forward` that reaches it.
struct Metrics {
    address: String,
    forward: Option<Child>,
}

impl Metrics {
    fn reach() -> Self {
        if let Some(address) = set("E2E_METRICS") {
            let forward = None;
            return Self { address, forward };
        }
        let mut forward = command("port-forward");
        forward.args([
            "--namespace",
            NAMESPACE,
            &format!("service/{NAME}-metrics"),
            ":8443",
        ]);
        let mut forward = forward.stdout(Stdio::piped()).spawn().unwrap();
        // Forwarding from 127.0.0.1:40123 -> 8443
        let mut line = String::new();
        let stdout = forward.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let address = line.split(' ').nth(2).expect("an address");
        Self {
            address: format!("https://{address}/metrics"),
            forward: Some(forward),
        }
    }

    /// Returns the body of the answer followed by the HTTP status.
    fn ask(&self, token: &str) -> String {
        let token = format!("Authorization: Bearer {token}");
        let curl = "--silent --show-error --insecure --write-out %{http_code} --header";
        let mut command = Command::new("curl");
        run(command.args(curl.split(' ')).args([&token, &self.address]))
    }
}

impl Drop for Metrics {
    fn drop(&mut self) {
        if let Some(forward) = &mut self.forward {
            let _ = forward.kill();
            let _ = forward.wait();
        }
    }
}

/// Returns an environment variable if it is set and not empty.
fn set(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn command(kubectl: &str) -> Command {
    let mut command = Command::new(set("KUBECTL").unwrap_or_else(|| "kubectl".into()));
    command.args(kubectl.split_whitespace());
    command
}

fn kubectl(line: &str) -> String {
    eprintln!("kubectl {line}");
    run(&mut command(line))
}

fn try_kubectl(line: &str) -> Result<String, String> {
    try_run(&mut command(line))
}

/// Runs a program, which must succeed, and returns its output.
fn run(command: &mut Command) -> String {
    try_run(command).unwrap_or_else(|error| panic!("{command:?}\n{error}"))
}

fn try_run(command: &mut Command) -> Result<String, String> {
    let output = command.output().expect("a program that can be run");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        Ok(printed)
    } else {
        Err(printed + &String::from_utf8_lossy(&output.stderr))
    }
}

/// Calls `ask` until it returns a value, once a second, and panics after `SOON`.
fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < SOON, "not in {SOON:?}: {what}");
        sleep(Duration::from_secs(1));
    }
}
